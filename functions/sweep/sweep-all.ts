import { type Instant, msOf } from '../../modules/core/instant.ts'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { type DueKey, type DuePlace, dueShards, readDue } from '../../modules/ledger/read/read-due.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { orderNoIn } from '../../modules/ledger/table/keys.ts'
import { CorruptRowError, type Row } from '../../modules/ledger/table/rows.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { type SweepDeps, type Swept, sweepRow } from './sweep-row.ts'

/** What one round found, told apart from "could not look". */
export interface SweepReport {
  readonly swept: Readonly<Record<Swept, number>>
  /** Overdue rows and the age of the oldest, per lane. */
  readonly backlog: ReadonlyMap<string, { readonly count: number; readonly oldestS: number }>
  /** Open tickets that this round met; each comes round once an hour. */
  readonly tickets: number
  /** How long the oldest of them has waited for a person. */
  readonly oldestTicketS: number
  readonly failedShards: number
  /** Shards that time was too short for. */
  readonly unfinishedShards: number
  /** Rows that could not be read or repaired; they hold up no other row. */
  readonly failedRows: number
}

/**
 * One round over every shard of the due index to its end key. A shard that fails is counted and does not stop the others.
 * @param hasTime false when the function should finish what it has
 * @param places where shards of an unfinished round stopped; the next round goes on there, and a shard that is read to its end
 *   begins anew
 */
export async function sweepAll(
  deps: SweepDeps,
  now: Instant,
  hasTime: () => boolean,
  places: Map<string, DuePlace> = new Map(),
): Promise<SweepReport> {
  const swept: Record<Swept, number> = { woken: 0, 'taken back': 0, 'looked at': 0, left: 0 }
  const backlog = new Map<string, { count: number; oldestS: number }>()
  let failedRows = 0
  let tickets = 0
  let oldestTicketS = 0
  const results = await Promise.allSettled(
    dueShards.map(async (shard) => {
      const from = places.get(shard)
      places.delete(shard)
      for await (const { keys, next } of readDue(deps.ledger, shard, now, from)) {
        const rows = await readPage(deps, keys)
        for (const row of rows) {
          const result = row === 'unreadable' ? 'failed' : await sweepSafely(deps, row, now)
          if (result === 'failed') failedRows++
          else swept[result]++
          if (row === 'unreadable') continue
          countBacklog(backlog, row, now)
          if (row?.et === 'TASK' && row.status === 'MANUAL') {
            tickets++
            oldestTicketS = Math.max(oldestTicketS, secondsBetween(row.failedAt ?? row.createdAt, now))
          }
        }
        if (next === undefined || hasTime()) continue
        places.set(shard, next)
        break
      }
    }),
  )
  const failures = results.filter((result) => result.status === 'rejected')
  for (const { reason } of failures) log('ERROR', 'A shard could not be swept.', errorFields(reason))
  const failedShards = failures.length
  return { swept, backlog, tickets, oldestTicketS, failedShards, failedRows, unfinishedShards: places.size }
}

/** The page's rows; one that is not of its schema is told apart and does not hide its neighbours. */
async function readPage(
  { ledger }: SweepDeps,
  page: readonly DueKey[],
): Promise<readonly (Row | undefined | 'unreadable')[]> {
  try {
    return await readRows(ledger, page)
  } catch (error) {
    if (!(error instanceof CorruptRowError)) throw error
  }
  const rows: (Row | undefined | 'unreadable')[] = []
  for (const key of page) rows.push(await readAlone(ledger, key))
  return rows
}

async function readAlone(ledger: Ledger, key: DueKey): Promise<Row | undefined | 'unreadable'> {
  try {
    return (await readRows(ledger, [key]))[0]
  } catch (error) {
    if (!(error instanceof CorruptRowError)) throw error
    const names = { row: key.sk, orderNo: orderNoIn(key.pk) }
    log('ERROR', 'A due row is not of its schema; the sweep cannot repair it.', { ...names, ...errorFields(error) })
    return 'unreadable'
  }
}

async function sweepSafely(deps: SweepDeps, row: Row | undefined, now: Instant): Promise<Swept | 'failed'> {
  try {
    return await sweepRow(deps, row, now)
  } catch (error) {
    const names = {
      row: row?.sk,
      orderNo: row === undefined ? undefined : orderNoIn(row.pk),
      ...(row?.et === 'TASK' && { taskNo: row.taskNo, channel: row.channel }),
    }
    log('ERROR', 'A due row could not be swept; the next round looks again.', { ...names, ...errorFields(error) })
    return 'failed'
  }
}

/**
 * Judged by when a task should have run and not by when the index shows it: a woken row is shown five minutes later again,
 * however long it is overdue. A held one is not late: it waits for a release that carries it out.
 */
function countBacklog(
  backlog: Map<string, { count: number; oldestS: number }>,
  row: Row | undefined,
  now: Instant,
): void {
  if (row?.et !== 'TASK' || (row.status !== 'WAITING' && row.status !== 'RETRY')) return
  if (row.lastErrorCode === 'NO_HANDLER') return
  const known = backlog.get(row.lane) ?? { count: 0, oldestS: 0 }
  const ageS = secondsBetween(row.nextExecuteAt, now)
  backlog.set(row.lane, { count: known.count + 1, oldestS: Math.max(known.oldestS, ageS) })
}

function secondsBetween(earlier: Instant, now: Instant): number {
  return Math.max(0, Math.round((msOf(now) - msOf(earlier)) / 1000))
}
