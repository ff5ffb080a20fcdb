// npm run bench [-- --only ack|bundle|cost|notice|compensated|due-index|stack|storm] [-- --quick | --full]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, describeVersions } from './machine.ts'
import type { Figure, Part } from './part.ts'
import { layOut } from './table.ts'

/** Loaded when they are run: some bring half the project with them. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  ack: async () => (await import('./ack/measure-ack.ts')).ackPart,
  bundle: async () => (await import('./bundle/measure-bundle.ts')).bundlePart,
  cost: async () => (await import('./cost/measure-cost.ts')).costPart,
  notice: async () => (await import('./cost/measure-notice.ts')).noticePart,
  compensated: async () => (await import('./cost/measure-compensated.ts')).compensatedPart,
  'due-index': async () => (await import('./due-index/measure-due-index.ts')).dueIndexPart,
  stack: async () => (await import('./stack/measure-stack.ts')).stackPart,
  storm: async () => (await import('./storm/measure-storm.ts')).stormPart,
}
const RESULTS = join(import.meta.dirname, 'results.json')

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
  },
})
const { only, quick, full } = values
if (only !== undefined && !(only in parts)) {
  console.error(`--only takes one of ${Object.keys(parts).join(', ')}.`)
  process.exit(1)
}

const results: Record<string, object> = {}
const figures: Figure[] = []
for (const [name, load] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue
  const part = await load()
  console.log(`\n== ${part.title}\n`)
  const measured = await part.measure({ quick, full, print: (line) => console.log(line) })
  figures.push(...measured.figures)
  results[name] = { date: new Date().toISOString(), ...measured }
}

console.log('\n== Figures\n')
for (const line of layOut([['figure', 'value', 'unit', 'at most', ''], ...figures.map(rowOf)])) console.log(line)
if (quick) console.log('\nA quick run: too few repetitions to quote, so bench/results.json stays as it was.')
else
  writeFileSync(
    RESULTS,
    `${JSON.stringify({ machine: describeMachine(), versions: describeVersions(), parts: { ...readResults(), ...results } }, undefined, 2)}\n`,
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
