import { bookAnswer } from '../../../modules/booking/book-answer.ts'
import type { BookDeps } from '../../../modules/booking/booked.ts'
import { NOT_THERE, type RefundAnswer } from '../../../modules/channels/client.ts'
import type { ChannelEvent } from '../../../modules/core/channel-event.ts'
import { type Instant, plusMs } from '../../../modules/core/instant.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import { attemptSk } from '../../../modules/ledger/table/keys.ts'
import type { TaskRow } from '../../../modules/ledger/table/rows.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import type { AskedPayment, RefundDesk } from '../asking/channel-desk.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'

/** A notice can be faster than what the channel reads from: only after this is "nothing went back" the answer to it. */
const SETTLES_MS = 10 * 60 * 1000
/** A payment that the channel does not know for so long was made up. */
const MADE_UP_MS = 30 * 60 * 1000
/** A dispute is looked at daily, as long as the slowest of them takes; then it is a person's. */
const DISPUTE_LOOK_MS = 24 * 60 * 60 * 1000
const DISPUTE_MS = 120 * DISPUTE_LOOK_MS

/**
 * QUERY_REFUND: asks the channel what of a payment's money went back, because a hint said so; the answer is the fact. Ends when
 * nothing is under way any more.
 * Source: docs/design/task-types.md; docs/design/money-back.md, Undone money
 */
export function queryRefundHandler(desk: RefundDesk, booking: BookDeps): TaskHandler {
  return {
    look: ({ task }) => lookAtPayment(desk, task),
    call: (view) => askChannel(desk, booking, view),
    reportsToGate: true,
  }
}

function lookAtPayment(desk: RefundDesk, task: TaskRow): Look {
  const payment = paymentOf(task)
  if (payment !== undefined && desk.canQueryRefund(payment.channel)) {
    return { kind: 'go', target: payment.channel, idempotencyKey: task.idempotencyKey }
  }
  const message = 'The channel told of money that went back and cannot be asked. Compare its console with the payment.'
  return { kind: 'escalate', reason: 'QUERY_REFUND_UNSUPPORTED', message }
}

function paymentOf(task: TaskRow): AskedPayment | undefined {
  const { channelTxnId, refundIds, disputeIds } = requestOf('QUERY_REFUND', task)
  const { pk, channel } = task
  if (channel === undefined || channelTxnId === undefined) return undefined
  return {
    pk,
    channel,
    channelTxnId,
    ...(refundIds !== undefined && { refundIds }),
    ...(disputeIds !== undefined && { disputeIds }),
  }
}

async function askChannel(desk: RefundDesk, booking: BookDeps, view: TaskView): Promise<Execution> {
  const { task } = view
  const payment = paymentOf(task)
  if (payment === undefined) return { outcome: { kind: 'notYet', code: 'PAYMENT_MISSING' } }
  const asked = await desk.queryRefund(payment, view.passes?.[payment.channel])
  if (asked.kind === 'parked')
    return { outcome: { kind: 'notYet', code: 'GATE' }, next: { at: asked.until, rule: 'gate', isPause: true } }
  if (asked.kind === 'unsupported') return { outcome: { kind: 'notYet', code: 'QUERY_REFUND_UNSUPPORTED' } }
  const { answer } = asked
  const failure = await book(booking, answer, task)
  const going = failure === undefined ? goOn(answer, view) : { outcome: failure }
  const { code } = going.outcome
  return { ...going, resultSnapshot: { told: answer.events.length, ...(code !== undefined && { code }) } }
}

/** What went back comes first, so that a payment that nobody told yet is booked with it and starts no delivery. */
async function book(booking: BookDeps, { events, payment }: RefundAnswer, task: TaskRow): Promise<Outcome | undefined> {
  const evidence = { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) }
  for (const event of payment === undefined ? events : [...events, payment]) {
    const failure = await bookAnswer(booking, event, evidence)
    if (failure !== undefined) return failure
  }
  return undefined
}

function goOn({ outcome, events }: RefundAnswer, { task, now }: TaskView): Pick<Execution, 'outcome' | 'next'> {
  if (outcome.code === NOT_THERE && isOlder(task.createdAt, MADE_UP_MS, now)) {
    return { outcome: { kind: 'done', code: NOT_THERE } }
  }
  if (outcome.kind !== 'done') return { outcome }
  const pending = events.filter(({ undo }) => undo?.state === 'pending')
  if (pending.some(isRefund)) return { outcome: { kind: 'notYet', code: 'REFUND_PENDING' } }
  if (pending.length > 0) return waitForDispute(task, now)
  const { wokenAt = task.createdAt } = requestOf('QUERY_REFUND', task)
  const isEarly = events.length === 0 && outcome.code === undefined && !isOlder(wokenAt, SETTLES_MS, now)
  return { outcome: isEarly ? { kind: 'notYet', code: 'NOTHING_WENT_BACK' } : outcome }
}

const isRefund = ({ kind }: ChannelEvent): boolean => kind === 'refund'

/** Its ticket is there; its end is found even if nobody tells it. */
function waitForDispute(task: TaskRow, now: Instant): Pick<Execution, 'outcome' | 'next'> {
  const outcome = { kind: 'notYet', code: 'DISPUTE_PENDING' } as const
  if (isOlder(task.createdAt, DISPUTE_MS, now)) return { outcome }
  return { outcome, next: { at: plusMs(now, DISPUTE_LOOK_MS), rule: 'dispute is open' } }
}

function isOlder(instant: Instant, ms: number, now: Instant): boolean {
  return now >= plusMs(instant, ms)
}
