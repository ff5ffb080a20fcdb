import { openBenchTables } from '../bench-tables.ts'
import type { Part } from '../part.ts'
import { quantile, round } from '../statistics.ts'
import { drainRatio, mostWithin, overshootOf } from './count-calls.ts'
import { runStorm } from './run-storm.ts'
import { seededRandom } from './seeded-random.ts'

const PER_S = 100
const QUIET_PER_S = 5
/** More than the rate needs, so that tasks do not queue up before the gate but are parked by it and come again. */
const ENVIRONMENTS = 40
/** What `infra/config-schema.ts` gives a channel by default. */
const DEFAULT_ENVIRONMENTS = 5
const SEED = 7

/** A channel comes back with all its stuck orders at once. */
export const stormPart: Part = {
  title: 'A storm: all stuck orders of one channel come back at once',
  measure: async ({ quick, full, print }) => {
    const tasks = quick ? 500 : full ? 50_000 : 5_000
    const storm = await measure(tasks, ENVIRONMENTS, print)
    const few = await measure(quick ? 200 : 500, DEFAULT_ENVIRONMENTS, print)
    return {
      figures: [
        { name: 'drain time to ideal', value: storm.drainToIdeal, unit: 'ratio', atMost: 1.05 },
        { name: 'overshoot in any second', value: storm.overshootPercent, unit: '%', atMost: 5 },
        { name: 'wake-ups per task', value: storm.wakeUps, unit: 'wake-ups', atMost: 2 },
        { name: 'wake-ups of any task, most', value: storm.wakeUpsMost, unit: 'wake-ups' },
        { name: 'another channel, delay p99', value: storm.quietP99Ms, unit: 'ms', atMost: 2_000 },
        { name: `drained with ${DEFAULT_ENVIRONMENTS} workers`, value: few.drainedPerS, unit: 'tasks/s' },
      ],
      details: { perS: PER_S, quietPerS: QUIET_PER_S, seed: SEED, storm, fewWorkers: few },
    }
  },
}

async function measure(tasks: number, environments: number, print: (line: string) => void) {
  const startedAt = performance.now()
  const tables = await openBenchTables()
  try {
    const plan = { tasks, perS: PER_S, environments, quietPerS: QUIET_PER_S, random: seededRandom(SEED) }
    const { startMs, callsMs, wakeUps, quietDelaysMs, batchSize } = await runStorm(tables, plan)
    const ratio = drainRatio(callsMs, startMs, PER_S)
    const result = {
      tasks,
      environments,
      calls: callsMs.length,
      drainToIdeal: round(ratio, 3),
      drainedPerS: round(PER_S / ratio, 1),
      mostInASecond: mostWithin(callsMs, 1000),
      overshootPercent: round(overshootOf(callsMs, PER_S) * 100, 1),
      wakeUps: round(wakeUps.reduce((sum, count) => sum + count, 0) / wakeUps.length),
      wakeUpsMost: Math.max(...new Set(wakeUps)),
      quietCalls: quietDelaysMs.length,
      quietP50Ms: quantile(quietDelaysMs, 0.5),
      quietP99Ms: quantile(quietDelaysMs, 0.99),
      batchSize: round(batchSize, 1),
      realS: round((performance.now() - startedAt) / 1000, 1),
    }
    print(JSON.stringify(result))
    return result
  } finally {
    await tables.stop()
  }
}
