import { bookAnswer } from '../../../modules/booking/book-answer.ts'
import type { BookDeps } from '../../../modules/booking/booked.ts'
import type { QueryAnswer } from '../../../modules/channels/client.ts'
import { parsePayAttemptNo } from '../../../modules/core/biz-no.ts'
import { isPayable } from '../../../modules/core/order.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import { readCollection } from '../../../modules/ledger/read/queries.ts'
import { attemptSk } from '../../../modules/ledger/table/keys.ts'
import type { OrderRow } from '../../../modules/ledger/table/rows.ts'
import { askedBy, attemptOf, bookedPayment, isAboutPayment } from '../asking/asked-payment.ts'
import type { ChannelDesk } from '../asking/channel-desk.ts'
import { answeredAtOf, goOn, LEFT_TO_THE_BILL, lateWatch } from '../asking/watch-payment.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'

/**
 * QUERY_PAYMENT: asks the channel what became of one payAttempt, whatever callbacks came or did not come. Query and callback go
 * through one decision; whoever comes second does nothing. A closed order is watched on: paid before the close with all
 * callbacks lost is found within the hour.
 * Source: docs/design/task-types.md; docs/design/flows.md, Asking and closing
 */
export function queryPaymentHandler(desk: ChannelDesk, booking: BookDeps): TaskHandler {
  return {
    load: async (ledger, task) => {
      const file = await readCollection(ledger, task.pk)
      return [...file.payAttempts, ...file.payments]
    },
    look: (view) => lookAtPayAttempt(desk, view),
    call: (view) => askChannel(desk, booking, view),
    reportsToGate: true,
  }
}

function lookAtPayAttempt(desk: ChannelDesk, view: TaskView): Look {
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
  // While its order may be paid, a try that is over is asked about: a card may be tried again, and "closed" may mean no more than
  // "expired, and the channel has no close".
  if ((state === 'FAILED' || state === 'CLOSED') && order.status !== 'CLOSED' && !isPayable(order.status)) {
    return { kind: 'moot', status: 'SUCCESS', reason: `PAY_ATTEMPT_${state}` }
  }
  return lateWatch(task, order, now) ?? go
}

async function askChannel(desk: ChannelDesk, booking: BookDeps, view: TaskView): Promise<Execution> {
  const subject = askedBy(view)
  if (subject === undefined) return { outcome: { kind: 'notYet', code: 'PAY_ATTEMPT_MISSING' } }
  const asked = await desk.query(subject, view.passes?.[subject.channel])
  if (asked.kind === 'parked')
    return { outcome: { kind: 'notYet', code: 'GATE' }, next: { at: asked.until, rule: 'gate', isPause: true } }
  if (asked.kind === 'unsupported') return { outcome: { kind: 'notYet', code: 'QUERY_UNSUPPORTED' } }
  const { answer } = asked
  const outcome = await outcomeOf(booking, view, answer)
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
async function outcomeOf(booking: BookDeps, { task, rows }: TaskView, answer: QueryAnswer): Promise<Outcome> {
  if (answer.event !== undefined) {
    const evidence = { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) }
    const failure = await bookAnswer(booking, answer.event, evidence)
    return failure ?? answer.outcome
  }
  if (answer.state !== 'paid') return answer.outcome
  // Paid and given back is no news of a payment that stands in the ledger: we or a person gave it back.
  const { channel, outTradeNo } = parsePayAttemptNo(task.bizNo) ?? {}
  if (rows.some((row) => row.et === 'PAYMENT' && row.channel === channel && row.outTradeNo === outTradeNo))
    return { kind: 'done' }
  return {
    kind: 'mismatch',
    code: answer.outcome.code ?? 'PAID_THEN_REFUNDED',
    message: 'The channel says paid and given back already. Compare its console with the order.',
  }
}
