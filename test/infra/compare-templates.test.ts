import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const SCRIPT = resolve(import.meta.dirname, '../../.github/compare-templates.mjs')
const folder = mkdtempSync(join(tmpdir(), 'backstop-templates-'))
afterAll(() => rmSync(folder, { recursive: true }))

const table = (properties: object) => ({ Ledger: { Type: 'AWS::DynamoDB::GlobalTable', Properties: properties } })
const code = (digest: string) => ({ Work: { Type: 'AWS::Lambda::Function', Properties: { Code: digest.repeat(64) } } })

function compare(before: object, after: object): string {
  const paths = Object.entries({ before, after }).map(([name, Resources]) => {
    const path = join(folder, `${name}.json`)
    writeFileSync(path, JSON.stringify({ Resources }))
    return path
  })
  return execFileSync(process.execPath, [SCRIPT, ...paths], { encoding: 'utf8' })
}

it('the same template changes nothing, and neither does a new bundle alone', () => {
  expect(compare(code('a'), code('b'))).toBe('### What this changes in the template\n\nNothing.\n')
})

it('what is added, removed and changed is counted and named with the changed properties', () => {
  const told = compare(
    { Old: { Type: 'AWS::SNS::Topic' }, Rule: { Type: 'AWS::Events::Rule', Properties: { State: 'ENABLED' } } },
    { New: { Type: 'AWS::SNS::Topic' }, Rule: { Type: 'AWS::Events::Rule', Properties: { State: 'DISABLED' } } },
  )

  expect(told).toContain('1 added, 1 removed, 1 changed.')
  expect(told).toContain('- changed `Rule` (AWS::Events::Rule): State')
  expect(told).not.toContain('Kept data')
})

it('a change of a table is said first, a new one is not alarming', () => {
  expect(compare(table({ Keys: 1 }), table({ Keys: 2 }))).toContain('**Kept data or an address is touched.')
  expect(compare({}, table({ Keys: 1 }))).not.toContain('Kept data')
})
