import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../../../modules/ledger/table/rows.ts'

/** A change of an order as a subscriber of the bus got it. */
export type ToldChange = Readonly<Record<string, unknown>>

/**
 * Whether the bus and the journal tell the same: every change of a status was told at least once, what was told twice was told
 * alike, and nothing was told that did not happen.
 * @param told details of all events since the ledger was empty: a bus that has forgotten some proves nothing
 * @returns one sentence per breach; none when all hold
 */
export function busFaults(rows: readonly Row[], told: readonly ToldChange[]): readonly string[] {
  const changes = rows.filter((row) => row.et === 'JOURNAL' && row.from !== row.to)
  const wanted = new Set(changes.flatMap((row) => (row.et === 'JOURNAL' ? [`${row.orderNo}/${row.orderRev}`] : [])))
  const byId = Map.groupBy(told, ({ id }) => String(id))
  return [
    ...[...wanted].filter((id) => !byId.has(id)).map((id) => `the bus was never told of ${id}`),
    ...[...byId.keys()]
      .filter((id) => !wanted.has(id))
      .map((id) => `the bus was told of ${id}, which is in no journal`),
    ...[...byId]
      .filter(([, [first, ...repeats]]) => repeats.some((repeat) => !isDeepStrictEqual(repeat, first)))
      .map(([id]) => `the bus was told two stories of ${id}`),
  ]
}
