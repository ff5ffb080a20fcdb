import type { QueryAnswer } from '../../../modules/channels/client.ts'
import { type Instant, plusMs } from '../../../modules/core/instant.ts'
import { nextLateWatch } from '../../../modules/core/late-watch.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import type { OrderRow, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { askedOf, resultOf } from '../../../modules/ledger/task/snapshots.ts'
import type { Execution, Look, TaskView } from '../task-handler.ts'
import { isAboutPayment } from './asked-payment.ts'
import { isInWindow, MOVING_LOOK_MS } from './expiry.ts'

/** The late watch is over: what comes now is found by reconciliation. */
export const LEFT_TO_THE_BILL = 'LEFT_TO_THE_BILL'
const DAY_MS = 24 * 60 * 60 * 1000
/** An order that may be paid for days is asked about this often after its first one. */
const LONG_ORDER_LOOK_MS = 60 * 60 * 1000

/**
 * Whether a closed order's payAttempt is to be asked about now, later, or no more.
 * @returns `undefined` for now
 */
export function lateWatch(task: TaskRow, order: OrderRow, now: Instant): Look | undefined {
  if (order.status !== 'CLOSED' || isAskedFor(task)) return undefined
  const closedAt = order.closedAt ?? order.updatedAt
  const answeredAt = answeredAtOf(task)
  const next = nextLateWatch(closedAt, answeredAt !== undefined && answeredAt > closedAt ? answeredAt : closedAt)
  if (next === undefined) return { kind: 'moot', status: 'SUCCESS', reason: LEFT_TO_THE_BILL }
  return next > plusMs(now, 1000) && !isMoving(task) ? { kind: 'park', until: next, reason: 'LATE_WATCH' } : undefined
}

/** A look that got no answer, or whose answer the ledger did not take, was none: the ladder repeats it. */
export function answeredAtOf(task: TaskRow): Instant | undefined {
  return resultOf(task).answeredAt
}

/** Money under way is looked at in its own time. */
const isMoving = (task: TaskRow): boolean => resultOf(task).state === 'moving'

/** Somebody has a reason to ask now, a hint or a person: that does not wait for the next look. */
function isAskedFor(task: TaskRow): boolean {
  const { wokenAt } = askedOf(task)
  return wokenAt !== undefined && (task.lastExecuteAt === undefined || wokenAt > task.lastExecuteAt)
}

/**
 * What an answer that is nothing final leads to where the ladder has no say: money under way is waited for, an order that is open
 * for days is asked about each hour, and after the close the late watch is the ladder. Waiting uses neither retry nor time, since it
 * is the channel's or the buyer's.
 */
export function goOn(view: TaskView, { state }: QueryAnswer, outcome: Outcome): Pick<Execution, 'outcome' | 'next'> {
  const { task, order, now } = view
  if (outcome.kind !== 'notYet' || order === undefined || isAboutPayment(task)) return { outcome }
  if (state === 'moving') {
    // Beyond all that a bank takes it is a person's, whatever has become of the order: by the ladder, which ends in a ticket.
    return isInWindow(task, now)
      ? { outcome, next: pause(plusMs(now, MOVING_LOOK_MS), 'money is moving') }
      : { outcome }
  }
  if (order.status === 'CLOSED') {
    const at = nextLateWatch(order.closedAt ?? order.updatedAt, now)
    // Asked for the last time, and answered: that is no failure of the task.
    if (at === undefined) return { outcome: { ...outcome, kind: 'done', code: LEFT_TO_THE_BILL } }
    return { outcome, next: pause(at, 'late watch') }
  }
  if (now < order.closeAt && now >= plusMs(task.createdAt, DAY_MS)) {
    return { outcome, next: pause(plusMs(now, LONG_ORDER_LOOK_MS), 'long order') }
  }
  // A page that refreshes must not use the ladder up: what was asked for comes beside the plan.
  const { plannedAt } = askedOf(task)
  return plannedAt !== undefined && plannedAt > now
    ? { outcome, next: { at: plannedAt, rule: 'asked for, the plan stays' } }
    : { outcome }
}

function pause(at: Instant, rule: string): NonNullable<Execution['next']> {
  return { at, rule, isPause: true }
}
