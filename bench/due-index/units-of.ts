import type { Call } from '../cost/recording.ts'
import { queryUnits, readUnits } from '../cost/units.ts'

/** What recorded calls took: reads by DynamoDB's rules, writes by the engine's count, which knows the items' images. */
export function unitsOf(calls: readonly Call[]): { readonly readUnits: number; readonly writeUnits: number } {
  let [read, written] = [0, 0]
  for (const { use } of calls) {
    if (use === undefined) continue
    const { reads, engine } = use
    if (reads === undefined) written += engine.tableUnits + engine.indexUnits
    else read += (reads.query ? queryUnits : readUnits)(reads.sizes, reads.consistent)
  }
  return { readUnits: read, writeUnits: written }
}
