import type { BookDeps } from '../../../modules/booking/booked.ts'
import { type HoldingTask, type HoldReason, holdsClose } from '../../../modules/core/holds-close.ts'
import type { ChannelId } from '../../../modules/core/ids.ts'
import { type Instant, msOf, plusMs } from '../../../modules/core/instant.ts'
import { isPayable } from '../../../modules/core/order.ts'
import { isOpen } from '../../../modules/core/pay-attempt.ts'
import { CLOSE_BUDGET_MS } from '../../../modules/core/task-policies.ts'
import type { Cause } from '../../../modules/ledger/order/change-order.ts'
import { closeOrderWrites } from '../../../modules/ledger/order/close-order-writes.ts'
import { countEnded } from '../../../modules/ledger/order/open-tries.ts'
import { closePayAttempt } from '../../../modules/ledger/pay-attempt/move-pay-attempt.ts'
import { readCollection } from '../../../modules/ledger/read/queries.ts'
import { commit } from '../../../modules/ledger/table/commit.ts'
import { attemptSk } from '../../../modules/ledger/table/keys.ts'
import type { OrderRow, PayAttemptRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { askedOf } from '../../../modules/ledger/task/snapshots.ts'
import { isAboutPayment, withNamed } from '../asking/asked-payment.ts'
import type { ChannelDesk } from '../asking/channel-desk.ts'
import { closeAtChannel } from '../asking/close-at-channel.ts'
import { lastExpiry, waitsForExpiry } from '../asking/expiry.ts'
import { unclosed, waitUntil } from '../asking/unclosed.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'
import { WorkBugError } from '../work-deps.ts'

const FROZEN_LOOK_MS = 30 * 60 * 1000
const GO_ON_MS = 1_000
const HELD_LOOK_MS = 60_000

/**
 * CLOSE_ORDER asks the channel of every payAttempt that could still be paid, closes it there, asks again, and only then closes the
 * order and releases its lines. What was closed stays closed on record, so that each execution goes on where the last one stopped.
 * An unknown answer never closes; a channel that cannot be asked is waited out.
 * Source: docs/design/flows.md, Asking and closing
 */
export function closeOrderHandler(desk: ChannelDesk, booking: BookDeps): TaskHandler {
  return {
    restsOnOrder: true,
    reportsToGate: true,
    // The others' gates are passed at their calls: an execution waits for one before it begins, and not for all.
    gates: ({ rows }) =>
      payAttemptsToAsk(desk, rows)
        .slice(0, 1)
        .map(({ channel }) => channel),
    load: async (ledger, task, order) => {
      // Most orders are paid by then, and nothing else is looked at.
      if (order === undefined || !isPayable(order.status)) return []
      const file = await readCollection(ledger, task.pk)
      return [...file.payAttempts, ...file.lines, ...file.tasks]
    },
    look: (view) => lookAtOrder(desk, view),
    call: (view) => closeAll(desk, booking, view),
    commit: ({ task, order, rows, now }, ours) => {
      if (order === undefined || !isPayable(order.status)) return { writes: [], releasesOrder: false }
      const cause = { ...whoCloses(task, order), evidence: attemptSk(task.taskNo, task.attempts) }
      const lines = rows.filter((row) => row.et === 'LINE')
      return {
        writes: [
          ...closeOrderWrites({ order, lines }, cause, ours, { ...booking, now }),
          ...openPayAttempts(rows).flatMap(closePayAttempt),
        ],
        releasesOrder: true,
      }
    },
  }
}

/** Before closeAt it is the merchant who had it closed, for a buyer who gave up; from then on it is the order's own time. */
function whoCloses(task: TaskRow, { closeAt }: OrderRow): Pick<Cause, 'operatorType' | 'operator' | 'reason'> {
  const asked = askedOf(task)
  const askedBy = asked.wokenBy ?? asked.askedBy
  const askedAt = asked.wokenAt ?? asked.askedAt
  return askedBy !== undefined && askedAt !== undefined && askedAt < closeAt
    ? { operatorType: 'MERCHANT', operator: askedBy, reason: 'CLOSED_ON_REQUEST' }
    : { operatorType: 'POLICY', operator: 'CLOSE_ORDER', reason: 'NOT_PAID_IN_TIME' }
}

function openPayAttempts(rows: readonly Row[]): readonly PayAttemptRow[] {
  return rows.filter((row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && isOpen(row.state))
}

/** A failed try may have succeeded since, or can still be paid: where its channel can be asked, it is asked and closed, too. */
function payAttemptsToAsk(desk: ChannelDesk, rows: readonly Row[]): readonly PayAttemptRow[] {
  const failed = rows.filter(
    (row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && row.state === 'FAILED' && desk.canQuery(row.channel),
  )
  return [...openPayAttempts(rows), ...failed]
}

function lookAtOrder(desk: ChannelDesk, { task, order, rows, now }: TaskView): Look {
  if (order === undefined) {
    return { kind: 'escalate', reason: 'ORDER_NOT_FOUND', message: 'The order that shall be closed is gone.' }
  }
  if (!isPayable(order.status)) return { kind: 'moot', status: 'SUCCESS', reason: `ORDER_${order.status}` }
  if (order.frozen !== undefined) return { kind: 'park', until: plusMs(now, FROZEN_LOOK_MS), reason: 'ORDER_FROZEN' }
  const hold = heldBy(rows, now)
  if (hold !== undefined) return { kind: 'park', until: plusMs(now, HELD_LOOK_MS), reason: hold }
  const until = lastExpiry(desk, openPayAttempts(rows))
  if (waitsForExpiry(until, now)) return { kind: 'park', until, reason: 'PAY_ATTEMPT_NOT_EXPIRED' }
  return { kind: 'go', target: targetOf(payAttemptsToAsk(desk, rows)), idempotencyKey: task.idempotencyKey }
}

/** Whatever says that money may be there holds the close. */
function heldBy(rows: readonly Row[], now: Instant): HoldReason | undefined {
  const tasks = rows.filter((row): row is TaskRow => row.et === 'TASK')
  return holdsClose(tasks.map(toHolding), now)
}

function toHolding(task: TaskRow): HoldingTask {
  const { bizType, status, createdAt, requestSnapshot } = task
  const isUnreadMoney = bizType === 'REVIEW' && requestSnapshot?.['isMoney'] === true
  return { bizType, status, createdAt, isUnreadMoney, isHinted: bizType === 'QUERY_PAYMENT' && isAboutPayment(task) }
}

function targetOf(attempts: readonly PayAttemptRow[]): string {
  const channels = new Set<ChannelId>(attempts.map(({ channel }) => channel))
  return channels.size === 0 ? 'ledger' : [...channels].join(',')
}

/** One payAttempt after the other; the first that is not closed decides how the task goes on. */
async function closeAll(desk: ChannelDesk, booking: BookDeps, view: TaskView): Promise<Execution> {
  const startedMs = msOf(booking.now())
  const passes = new Map(Object.entries(view.passes ?? {}))
  const closed: PayAttemptRow[] = []
  for (const attempt of payAttemptsToAsk(desk, view.rows)) {
    if (msOf(booking.now()) - startedMs > CLOSE_BUDGET_MS) {
      await keepClosed(booking, view, closed)
      return waitUntil('MORE_PAY_ATTEMPTS', plusMs(booking.now(), GO_ON_MS))
    }
    const pass = passes.get(attempt.channel)
    passes.delete(attempt.channel)
    const closing = await closeAtChannel(desk, withNamed(attempt, view.rows), pass)
    if (closing.kind !== 'closed') {
      await keepClosed(booking, view, closed)
      const paid = waitUntil('PAID_MEANWHILE', plusMs(booking.now(), GO_ON_MS))
      return unclosed(booking, { view, attempt }, closing, paid)
    }
    closed.push(attempt)
  }
  return { outcome: { kind: 'done' } }
}

/**
 * What the channels have closed so far is a fact, whatever becomes of the order: it is not asked about again. What changed
 * meanwhile (paid after all, another try) is left to the next look.
 */
async function keepClosed({ ledger, now }: BookDeps, { order }: TaskView, attempts: readonly PayAttemptRow[]) {
  if (order === undefined || attempts.length === 0) return
  const writes = [...attempts.flatMap(closePayAttempt), countEnded(order, attempts)]
  const result = await commit(ledger, writes, now())
  if (result.kind === 'bug') throw new WorkBugError(`The ledger refused a transaction: ${result.message}`)
}
