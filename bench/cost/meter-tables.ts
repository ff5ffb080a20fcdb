import type { Item } from './item-size.ts'
import { itemBytes } from './item-size.ts'
import type { Change } from './record-payments.ts'
import type { Call } from './recording.ts'
import { indexUnits, queryUnits, readUnits, writeUnits } from './units.ts'

/** What one write of one item cost by DynamoDB's rules. */
export interface MeteredWrite {
  /** Entity type of the item, or the table's name where its items have none. */
  readonly et: string
  readonly op: string
  readonly bytes: number
  readonly tableUnits: number
  readonly indexUnits: number
}

/** A call's consumption by the rules. */
export interface Metered {
  readonly writes: readonly MeteredWrite[]
  readonly readUnits: number
}

/**
 * Applies DynamoDB's rules to every recorded call, with the items' images from the table's own stream: the n-th write of a key is
 * the n-th change of it.
 * @param ledger name of the table that the stream is of; writes elsewhere count one unit
 */
export function meterTables(
  ledger: string,
  calls: readonly Call[],
  changes: readonly Change[],
): ReadonlyMap<Call, Metered> {
  const waiting = Map.groupBy(changes, ({ key }) => key)
  const current = new Map<string, Item>()
  const metered = new Map<Call, Metered>()
  for (const call of calls.toSorted((a, b) => a.endedAt - b.endedAt)) {
    const { use } = call
    if (use === undefined) continue
    const writes = use.writes.map(({ op, key }): MeteredWrite => {
      if (use.table !== ledger) return { et: 'GATE', op, bytes: 0, tableUnits: 1, indexUnits: 0 }
      const changed = call.ok && op !== 'ConditionCheck' ? waiting.get(key)?.shift() : undefined
      if (changed?.after !== undefined) current.set(key, changed.after)
      const [before, after] =
        changed === undefined ? [current.get(key), current.get(key)] : [changed.before, changed.after]
      const image = after ?? before
      return {
        et: image?.['et']?.S ?? 'none',
        op,
        bytes: image === undefined ? 0 : itemBytes(image),
        tableUnits: writeUnits(before, after, use.transactional),
        indexUnits: Object.values(indexUnits(before, after)).reduce((sum, units) => sum + units, 0),
      }
    })
    const { reads } = use
    const unitsOf = reads?.query === true ? queryUnits : readUnits
    metered.set(call, { writes, readUnits: reads === undefined ? 0 : unitsOf(reads.sizes, reads.consistent) })
  }
  return metered
}
