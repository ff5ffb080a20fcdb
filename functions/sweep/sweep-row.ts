import { type Instant, msOf } from '../../modules/core/instant.ts'
import type { Policies } from '../../modules/core/task-policies.ts'
import { askToPublish } from '../../modules/ledger/notice/mark-journal.ts'
import { watchPayingOrder } from '../../modules/ledger/order/watch-order.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { JournalRow, OrderRow, Row, TaskRow } from '../../modules/ledger/table/rows.ts'
import { TICKET_LOOK_MS } from '../../modules/ledger/task/put-task.ts'
import { abandonWrites, lookLater, touchTask } from '../../modules/ledger/task/sweep-task.ts'

export interface SweepDeps {
  readonly ledger: Ledger
  readonly policies: Policies
}

/** What the sweep did with one row. */
export type Swept = 'woken' | 'taken back' | 'looked at' | 'left'

/**
 * Repairs one row that the due index named, by writing to the row and nothing else: the stream sends what follows.
 * Source: docs/design/task-times.md
 */
export async function sweepRow({ ledger, policies }: SweepDeps, row: Row | undefined, now: Instant): Promise<Swept> {
  if (row === undefined) return 'left'
  if (row.et === 'ORDER') return sweepOrder({ ledger, policies }, row, now)
  if (row.et === 'TASK') return sweepTask({ ledger, policies }, row, now)
  if (row.et === 'JOURNAL') return sweepJournal(ledger, row, now)
  return 'left'
}

/** A change of an order that the bus did not take when it was asked to. */
async function sweepJournal(ledger: Ledger, row: JournalRow, now: Instant): Promise<Swept> {
  if (row.dueAt === undefined || msOf(row.dueAt) > msOf(now)) return 'left'
  return (await askToPublish(ledger, { pk: row.pk, sk: row.sk }, row.dueAt, now)) ? 'woken' : 'left'
}

async function sweepOrder({ ledger, policies }: SweepDeps, order: OrderRow, now: Instant): Promise<Swept> {
  if (order.dueAt === undefined || msOf(order.dueAt) > msOf(now)) return 'left'
  return (await watchPayingOrder(ledger, order, { policies, now })) ? 'looked at' : 'left'
}

async function sweepTask({ ledger, policies }: SweepDeps, task: TaskRow, now: Instant): Promise<Swept> {
  const { dueAt } = task
  if (dueAt === undefined || msOf(dueAt) > msOf(now)) return 'left'
  switch (task.status) {
    case 'WAITING':
    case 'RETRY':
      return (await touchTask(ledger, task, dueAt, now)) ? 'woken' : 'left'
    case 'PROCESSING':
      return takeBack(ledger, abandonWrites(task, dueAt, { policies, now }), now)
    case 'MANUAL':
      return (await lookLater(ledger, task, dueAt, { laterMs: TICKET_LOOK_MS, now })) ? 'looked at' : 'left'
    case 'SUCCESS':
    case 'CLOSED':
      return 'left'
  }
}

async function takeBack(ledger: Ledger, writes: readonly Write[], now: Instant): Promise<Swept> {
  const result = await commit(ledger, writes, now)
  if (result.kind === 'bug') throw new SweepBugError(`The ledger refused a transaction: ${result.message}`)
  return result.kind === 'done' ? 'taken back' : 'left'
}

/** The ledger called a transaction of the sweep wrong: a bug, counted and logged with its row. */
class SweepBugError extends Error {
  override readonly name = 'SweepBugError'
  readonly code = 'SWEEP_BUG'
}
