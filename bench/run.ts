// npm run bench [-- --only ack|bundle|cost|stack] [-- --quick]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ackPart } from './ack/measure-ack.ts'
import { bundlePart } from './bundle/measure-bundle.ts'
import { costPart } from './cost/measure-cost.ts'
import { describeMachine, describeVersions } from './machine.ts'
import type { Figure, Part } from './part.ts'
import { stackPart } from './stack/measure-stack.ts'
import { layOut } from './table.ts'

const parts: Readonly<Record<string, Part>> = { ack: ackPart, bundle: bundlePart, cost: costPart, stack: stackPart }
const RESULTS = join(import.meta.dirname, 'results.json')

const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } } })
const { only, quick } = values
if (only !== undefined && !(only in parts)) {
  console.error(`--only takes one of ${Object.keys(parts).join(', ')}.`)
  process.exit(1)
}

const results: Record<string, object> = readResults()
const figures: Figure[] = []
for (const [name, part] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue
  console.log(`\n== ${part.title}\n`)
  const measured = await part.measure({ quick, print: (line) => console.log(line) })
  figures.push(...measured.figures)
  results[name] = { date: new Date().toISOString(), ...measured }
}

console.log('\n== Figures\n')
for (const line of layOut([['figure', 'value', 'unit', 'at most', ''], ...figures.map(rowOf)])) console.log(line)
if (quick) console.log('\nA quick run: too few repetitions to quote, so bench/results.json stays as it was.')
else
  writeFileSync(
    RESULTS,
    `${JSON.stringify({ machine: describeMachine(), versions: describeVersions(), parts: results }, undefined, 2)}\n`,
  )

function rowOf({ name, value, unit, atMost }: Figure): (string | number)[] {
  if (atMost === undefined) return [name, value, unit, '', '']
  return [name, value, unit, atMost, value <= atMost ? 'holds' : 'MISSED']
}

/** What an earlier run measured of the parts that this one leaves out. */
function readResults(): Record<string, object> {
  if (!existsSync(RESULTS)) return {}
  const { parts: before } = JSON.parse(readFileSync(RESULTS, 'utf8')) as { parts?: Record<string, object> }
  return before ?? {}
}
