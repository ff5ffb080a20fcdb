// Tells two CloudFormation templates apart by resource, parameter and output, as Markdown. Plain JavaScript: it runs on any checkout.
// usage: node .github/compare-templates.mjs <before.json> <after.json>
import { readFileSync } from 'node:fs'

/** Replacing one of these would lose data or an address: said first. */
const PRECIOUS =
  /^AWS::(DynamoDB::GlobalTable|S3::Bucket|SecretsManager::Secret|Cognito::UserPool|SQS::Queue|ApiGatewayV2::Api)$/
const SECTIONS = ['Resources', 'Parameters', 'Outputs', 'Conditions', 'Rules']
const MOST_LINES = 200

const [before, after] = process.argv.slice(2, 4).map((path) => JSON.parse(readFileSync(path, 'utf8')))
const lines = SECTIONS.flatMap((section) => compare(section, before[section] ?? {}, after[section] ?? {}))
const precious = lines.filter(({ isPrecious }) => isPrecious)
const counts = Object.entries(Object.groupBy(lines, ({ sign }) => sign)).map(([sign, some]) => `${some.length} ${sign}`)

console.log('### What this changes in the template\n')
if (lines.length === 0) console.log('Nothing.')
else console.log(`${counts.join(', ')}.\n`)
if (precious.length > 0) {
  console.log('**Kept data or an address is touched. Look for a replacement in `cdk diff` before it is deployed:**\n')
  for (const { text } of precious) console.log(text)
  console.log('')
}
if (lines.length > 0) {
  console.log('<details><summary>All changes</summary>\n')
  for (const { text } of lines.slice(0, MOST_LINES)) console.log(text)
  if (lines.length > MOST_LINES) console.log(`- … and ${lines.length - MOST_LINES} more`)
  console.log('\n</details>')
}

function compare(section, old, now) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted()
  return names.flatMap((name) => {
    if (JSON.stringify(steady(old[name])) === JSON.stringify(steady(now[name]))) return []
    const sign = old[name] === undefined ? 'added' : now[name] === undefined ? 'removed' : 'changed'
    const type = (now[name] ?? old[name])?.Type ?? section
    const fields = sign === 'changed' ? `: ${changedFields(old[name], now[name]).join(', ')}` : ''
    return [
      { sign, isPrecious: sign !== 'added' && PRECIOUS.test(type), text: `- ${sign} \`${name}\` (${type})${fields}` },
    ]
  })
}

function changedFields(old, now) {
  const of = (value) => ({ ...value, ...value?.Properties, Properties: undefined })
  const [a, b] = [of(steady(old)), of(steady(now))]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  )
}

/** Without the digests of bundles: they change with every line of code, and the review shows that. */
function steady(value) {
  if (value === undefined) return undefined
  return JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{64}/g, 'digest'))
}
