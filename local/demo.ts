import { parseArgs } from 'node:util'
import { isExpected } from './host/known-errors.ts'
import { accidentOf, accidents } from './world/demo/plan.ts'
import { runDemo } from './world/demo/run-demo.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    orders: { type: 'string', default: '120' },
  },
})

try {
  const seed = Number(values.seed)
  const orders = Number(values.orders)
  console.log(`Backstop demonstration: ${orders} orders through six channels, seed ${seed}. Time leaps.`)
  const only = scenarioOf(positionals[0])
  const result = await runDemo({ seeds: [seed], orders, ...(only !== undefined && { only }) }, showProgress)
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K')
  console.log(`\n${result.table}\n\n  took ${(result.tookMs / 1000).toFixed(1)} s`)
  for (const breach of result.breaches) console.error(`BROKEN: ${breach}`)
  if (result.breaches.length > 0) {
    console.error(
      `\n${result.breaches.length} broken. Run it again with: npm run demo -- --seed ${seed} --orders ${orders}`,
    )
    process.exitCode = 1
  } else {
    console.log('  every money invariant holds')
  }
} catch (error) {
  if (!isExpected(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function scenarioOf(name: string | undefined) {
  if (name === undefined) return undefined
  const accident = accidentOf(name)
  if (accident !== undefined) return accident
  console.error(
    `There is no scenario '${name}'. Choose one of: ${accidents.map((each) => each.replaceAll(' ', '-')).join(', ')}.`,
  )
  process.exit(1)
}

function showProgress(share: number, passedMs: number): void {
  if (!process.stdout.isTTY) return
  const hours = (passedMs / 3_600_000).toFixed(1)
  process.stdout.write(`\r\u001b[K  ${Math.round(share * 100)} % of the plan, ${hours} h passed`)
}
