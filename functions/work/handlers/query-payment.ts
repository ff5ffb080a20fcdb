import type { QueryAnswer } from '../../channels/client.ts'
import { type Instant, parseInstant, plusMs } from '../../core/instant.ts'
import { nextLateWatch } from '../../core/late-watch.ts'
import { isPayable } from '../../core/order.ts'
import type { Outcome } from '../../core/outcome.ts'
import { attemptSk } from '../../ledger/keys.ts'
import { readCollection } from '../../ledger/queries.ts'
import type { OrderRow, TaskRow } from '../../ledger/rows.ts'
import { settleAnswer } from '../../settlement/settle-answer.ts'
import type { SettleDeps } from '../../settlement/settle-result.ts'
import type { ChannelDesk } from '../channel-desk.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'
import { askedBy, attemptOf, bookedPayment, isAboutPayment } from './asked-payment.ts'
import { isInWindow, MOVING_LOOK_MS } from './expiry.ts'

/**
 * QUERY_PAYMENT: asks the channel what became of one payAttempt, whatever callbacks came or did not come. Query and callback go
 * through one decision; whoever comes second does nothing. A closed order is watched on: paid before the close with all
 * callbacks lost is found within the hour.
 * Source: design.md section 3 and 5 (Asking and closing); seed 001, 3.1
 */
export function queryPaymentHandler(desk: ChannelDesk, settle: SettleDeps): TaskHandler {
  return {
    load: async (ledger, task) => {
      const file = await readCollection(ledger, task.pk)
      return [...file.payAttempts, ...file.payments]
    },
    look: (view) => lookAtAttempt(desk, view),
    call: (view) => askChannel(desk, settle, view),
    reportsToGate: true,
  }
}

function lookAtAttempt(desk: ChannelDesk, view: TaskView): Look {
  const { task, order } = view
  const asked = askedBy(view)
  if (asked === undefined || order === undefined) {
    return {
      kind: 'escalate',
      reason: 'ORDER_NOT_FOUND',
      message: 'The payAttempt of a query is gone. Look for its row.',
    }
  }
  if (!desk.canQuery(asked.channel)) return { kind: 'moot', status: 'CLOSED', reason: 'QUERY_UNSUPPORTED' }
  const go: Look = { kind: 'go', target: asked.channel, idempotencyKey: task.idempotencyKey }
  if (isAboutPayment(task)) {
    return bookedPayment(view) === undefined ? go : { kind: 'moot', status: 'SUCCESS', reason: 'PAYMENT_BOOKED' }
  }
  return lookAtState(view, order, go)
}

function lookAtState(view: TaskView, order: OrderRow, go: Look): Look {
  const { task, now } = view
  const state = attemptOf(view)?.state
  if (state === 'PAID') return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_PAID' }
  if (state === 'FAILED' && order.status !== 'CLOSED' && !isPayable(order.status)) {
    return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_FAILED' }
  }
  // While its order may still be paid, a try that was closed is asked about: "closed" may be no more than "expired, and no close".
  if (state === 'CLOSED' && order.status !== 'CLOSED' && !isPayable(order.status)) {
    return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_CLOSED' }
  }
  return lateWatch(task, order, now) ?? go
}

function lateWatch(task: TaskRow, order: OrderRow, now: Instant): Look | undefined {
  if (order.status !== 'CLOSED' || isAskedFor(task)) return undefined
  const closedAt = order.closedAt ?? order.updatedAt
  const answeredAt = answeredAtOf(task)
  const next = nextLateWatch(closedAt, answeredAt !== undefined && answeredAt > closedAt ? answeredAt : closedAt)
  if (next === undefined) return { kind: 'moot', status: 'SUCCESS', reason: LEFT_TO_THE_BILL }
  return next > plusMs(now, 1000) && !isMoving(task) ? { kind: 'park', until: next, reason: 'LATE_WATCH' } : undefined
}

/** A look that got no answer, or whose answer the ledger did not take, was none: the ladder repeats it. */
function answeredAtOf({ resultSnapshot }: TaskRow): Instant | undefined {
  const answeredAt = resultSnapshot?.['answeredAt']
  return typeof answeredAt === 'string' ? parseInstant(answeredAt) : undefined
}

/** Money under way is looked at in its own time. */
const isMoving = ({ resultSnapshot }: TaskRow): boolean => resultSnapshot?.['state'] === 'moving'

/** Somebody has a reason to ask now, a hint or a person: that does not wait for the next look. */
function isAskedFor({ requestSnapshot, lastExecuteAt }: TaskRow): boolean {
  const wokenAt = requestSnapshot?.['wokenAt']
  return typeof wokenAt === 'string' && (lastExecuteAt === undefined || wokenAt > lastExecuteAt)
}

async function askChannel(desk: ChannelDesk, settle: SettleDeps, view: TaskView): Promise<Execution> {
  const subject = askedBy(view)
  if (subject === undefined) return { outcome: { kind: 'notYet', code: 'PAY_ATTEMPT_MISSING' } }
  const asked = await desk.query(subject, view.passes?.[subject.channel])
  if (asked.kind === 'parked')
    return { outcome: { kind: 'notYet', code: 'GATE' }, next: { at: asked.until, rule: 'gate', isPause: true } }
  if (asked.kind === 'unsupported') return { outcome: { kind: 'notYet', code: 'QUERY_UNSUPPORTED' } }
  const { answer } = asked
  const outcome = await outcomeOf(settle, view, answer)
  const going = goOn(view, answer, outcome)
  const isAnswer = (answer.state !== 'unknown' || answer.outcome.kind === 'notYet') && answer.state !== 'moving'
  const answeredAt = isAnswer && outcome === answer.outcome ? view.now : answeredAtOf(view.task)
  return {
    ...going,
    resultSnapshot: {
      state: answer.state,
      code: answer.outcome.code,
      answeredAt,
      ...(going.outcome.code === LEFT_TO_THE_BILL && { endedBecause: LEFT_TO_THE_BILL }),
    },
  }
}

/** An answer that moves money or a state becomes a fact in the ledger before the task counts as done. */
async function outcomeOf(settle: SettleDeps, { task, rows }: TaskView, answer: QueryAnswer): Promise<Outcome> {
  if (answer.event !== undefined) {
    const evidence = { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) }
    const failure = await settleAnswer(settle, answer.event, evidence)
    return failure ?? answer.outcome
  }
  if (answer.state !== 'paid') return answer.outcome
  // Paid and given back is no news of a payment that stands in the ledger: we or a person gave it back.
  if (rows.some((row) => row.et === 'PAYMENT' && `${row.channel}/${row.outTradeNo}` === task.bizNo))
    return { kind: 'done' }
  return {
    kind: 'mismatch',
    code: answer.outcome.code ?? 'PAID_THEN_REFUNDED',
    message: 'The channel says paid and given back already. Compare its console with the order.',
  }
}

/** The late watch is over: what comes now is found by reconciliation. */
const LEFT_TO_THE_BILL = 'LEFT_TO_THE_BILL'
const DAY_MS = 24 * 60 * 60 * 1000
/** An order that may be paid for days is asked about this often after its first one. */
const LONG_ORDER_LOOK_MS = 60 * 60 * 1000

/**
 * What an answer that is nothing final leads to where the ladder has no say: money under way is waited for, an order that is open
 * for days is asked about each hour, and after the close the ladder is the late watch, whose end is the bill. Waiting uses neither
 * retry nor time: it is the channel's, or the buyer's.
 */
function goOn(view: TaskView, { state }: QueryAnswer, outcome: Outcome): Pick<Execution, 'outcome' | 'next'> {
  const { task, order, now } = view
  if (outcome.kind !== 'notYet' || order === undefined || isAboutPayment(task)) return { outcome }
  if (state === 'moving' && isInWindow(task, now)) {
    return { outcome, next: pause(plusMs(now, MOVING_LOOK_MS), 'money is moving') }
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
  return { outcome }
}

function pause(at: Instant, rule: string): NonNullable<Execution['next']> {
  return { at, rule, isPause: true }
}
