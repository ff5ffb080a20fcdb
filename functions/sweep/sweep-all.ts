import { type Instant, msOf, parseInstant } from '../core/instant.ts'
import { readRows } from '../ledger/queries.ts'
import { dueShards, readDue } from '../ledger/read-due.ts'
import type { Row } from '../ledger/rows.ts'
import { errorFields, log } from '../telemetry/log.ts'
import { type SweepDeps, type Swept, sweepRow } from './sweep-row.ts'

/** What one round found, told apart from "could not look". */
export interface SweepReport {
  readonly swept: Readonly<Record<Swept, number>>
  /** Overdue rows and the age of the oldest, per lane. */
  readonly backlog: ReadonlyMap<string, { readonly count: number; readonly oldestS: number }>
  readonly failedShards: number
}

/**
 * One round over every shard of the due index to its end key. A shard that fails is counted and does not stop the others.
 * @param hasTime false when the function should finish what it has
 */
export async function sweepAll(deps: SweepDeps, now: Instant, hasTime: () => boolean): Promise<SweepReport> {
  const swept: Record<Swept, number> = { woken: 0, 'taken back': 0, 'looked at': 0, left: 0 }
  const backlog = new Map<string, { count: number; oldestS: number }>()
  const results = await Promise.allSettled(
    dueShards.map(async (shard) => {
      for await (const page of readDue(deps.ledger, shard, now)) {
        const rows = await readRows(deps.ledger, page)
        for (const [index, row] of rows.entries()) {
          swept[await sweepRow(deps, row, now)]++
          countBacklog(backlog, row, page[index]?.dueAt, now)
        }
        if (!hasTime()) break
      }
    }),
  )
  const failures = results.filter((result) => result.status === 'rejected')
  for (const { reason } of failures) log('ERROR', 'A shard could not be swept.', errorFields(reason))
  return { swept, backlog, failedShards: failures.length }
}

function countBacklog(
  backlog: Map<string, { count: number; oldestS: number }>,
  row: Row | undefined,
  seenDueAt: string | undefined,
  now: Instant,
): void {
  if (row?.et !== 'TASK' || (row.status !== 'WAITING' && row.status !== 'RETRY')) return
  const dueAt = parseInstant(seenDueAt ?? '')
  if (dueAt === undefined) return
  const known = backlog.get(row.lane) ?? { count: 0, oldestS: 0 }
  const ageS = Math.max(0, Math.round((msOf(now) - msOf(dueAt)) / 1000))
  backlog.set(row.lane, { count: known.count + 1, oldestS: Math.max(known.oldestS, ageS) })
}
