import { type Instant, instantOf, plusMs } from '../../modules/core/instant.ts'
import { dueShards, readDue } from '../../modules/ledger/read/read-due.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { DUE_SHARDS } from '../../modules/ledger/table/keys.ts'
import { ledgerOn, loadRows, openBenchTables } from '../bench-tables.ts'
import { recordCalls, watchSdkClients } from '../cost/record-calls.ts'
import type { Part } from '../part.ts'
import { median, quantile, round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { growthOf } from './growth.ts'
import { liveTask, waitingTask } from './task-life.ts'
import { unitsOf } from './units-of.ts'

const NOW = instantOf(Date.UTC(2026, 10, 30, 12))
/** Overdue rows in each size of table: some in every shard. */
const OVERDUE = 10 * DUE_SHARDS
const OVERDUE_MS = 10 * 60_000
/** The others are due over this time from now on, as payments of a quarter of an hour are. */
const AHEAD_MS = 15 * 60_000
/** Times are those of the fastest tenth: the rest waited for whoever else was busy on the machine. */
const UNDISTURBED = 0.1

interface Measured {
  readonly rows: number
  readonly sweepRru: number
  readonly sweepRruPerDue: number
  readonly sweepMsPerDue: number
  readonly lifeWru: number
  readonly lifeRru: number
  readonly lifeMs: number
}

/** What finding and living cost as the table grows. */
export const dueIndexPart: Part = {
  title: 'The due index: cost of a task while the table grows',
  measure: async ({ quick, print }) => {
    const sizes = quick ? [300, 1_000, 3_000] : [1_000, 10_000, 100_000]
    const repeats = quick ? 5 : 40
    watchSdkClients()
    const tables = await openBenchTables()
    const client = tables.openClient()
    const ledger = ledgerOn(client, tables.ledgerTable)
    const measured: Measured[] = []
    let loaded = OVERDUE
    try {
      await loadRows(ledger, tasks('DUE', 0, OVERDUE, plusMs(NOW, -OVERDUE_MS)))
      for (const rows of sizes) {
        await loadRows(ledger, tasks('WAIT', loaded, rows, NOW))
        loaded = rows
        measured.push(await measureAt(ledger, rows, repeats))
      }
    } finally {
      client.destroy()
      await tables.stop()
    }
    for (const line of layOut(tableOf(measured))) print(line)
    const last = sizes.at(-1)
    return {
      figures: [
        ...measured.flatMap(({ rows, sweepRruPerDue, sweepMsPerDue, lifeWru, lifeMs }) => [
          { name: `sweep at ${rows} rows`, value: sweepRruPerDue, unit: 'RRU/due task' },
          { name: `sweep at ${rows} rows`, value: sweepMsPerDue, unit: 'ms/due task' },
          { name: `life of a task at ${rows} rows`, value: lifeWru, unit: 'WRU' },
          { name: `life of a task at ${rows} rows`, value: lifeMs, unit: 'ms' },
        ]),
        growth(`sweep RRU, ${last} rows to ${sizes[0]}`, measured, 'sweepRru', 1),
        growth(`life WRU, ${last} rows to ${sizes[0]}`, measured, 'lifeWru', 1),
        growth(`sweep ms, ${last} rows to ${sizes[0]}`, measured, 'sweepMsPerDue'),
        growth(`life ms, ${last} rows to ${sizes[0]}`, measured, 'lifeMs'),
      ],
      details: { overdue: OVERDUE, repeats, sizes: measured },
    }
  },
}

async function measureAt(ledger: Ledger, rows: number, repeats: number): Promise<Measured> {
  const sweeps: { ms: number; readUnits: number }[] = []
  const lives: { ms: number; readUnits: number; writeUnits: number }[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const swept = await timed(() => countDue(ledger))
    if (swept.result !== OVERDUE) throw new Error(`The sweep found ${swept.result} rows instead of ${OVERDUE}.`)
    sweeps.push(swept)
    lives.push(await timed(() => liveTask(ledger, `LIFE-${rows}-${repeat}`, NOW)))
  }
  const sweepRru = median(sweeps.map(({ readUnits }) => readUnits))
  return {
    rows,
    sweepRru,
    sweepRruPerDue: round(sweepRru / OVERDUE, 4),
    sweepMsPerDue: round(undisturbedMs(sweeps) / OVERDUE, 3),
    lifeWru: median(lives.map(({ writeUnits }) => writeUnits)),
    lifeRru: median(lives.map(({ readUnits }) => readUnits)),
    lifeMs: round(undisturbedMs(lives), 1),
  }
}

function undisturbedMs(runs: readonly { readonly ms: number }[]): number {
  const times = runs.map(({ ms }) => ms)
  return quantile(times, UNDISTURBED)
}

/** All shards, one after the other, as far as the sweep goes before it reads base rows. */
async function countDue(ledger: Ledger): Promise<number> {
  let found = 0
  for (const shard of dueShards) for await (const page of readDue(ledger, shard, NOW)) found += page.keys.length
  return found
}

async function timed<T>(work: () => Promise<T>) {
  const startedAt = performance.now()
  const { result, calls } = await recordCalls(work)
  return { result, ms: performance.now() - startedAt, ...unitsOf(calls) }
}

function* tasks(prefix: string, from: number, to: number, first: Instant): Iterable<Record<string, unknown>> {
  for (let index = from; index < to; index++) {
    const at = prefix === 'DUE' ? first : plusMs(first, Math.round(((index - from) / (to - from)) * AHEAD_MS))
    yield waitingTask(`${prefix}-${String(index).padStart(7, '0')}`, at, first)
  }
}

function growth(name: string, measured: readonly Measured[], of: Exclude<keyof Measured, 'rows'>, atMost?: number) {
  const value = growthOf(measured.map((one) => one[of]))
  return { name, value, unit: 'ratio', ...(atMost !== undefined && { atMost }) }
}

function tableOf(measured: readonly Measured[]): (string | number)[][] {
  const head = ['rows', 'sweep RRU', 'RRU/due', 'ms/due', 'life WRU', 'life RRU', 'life ms']
  return [head, ...measured.map((one) => Object.values(one))]
}
