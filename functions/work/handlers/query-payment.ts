import type { QueryAnswer } from '../../channels/client.ts'
import { parseChannelTxnId } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import { nextLateWatch } from '../../core/late-watch.ts'
import { isPayable } from '../../core/order.ts'
import type { Outcome } from '../../core/outcome.ts'
import { attemptSk } from '../../ledger/keys.ts'
import { readCollection } from '../../ledger/queries.ts'
import type { OrderRow, PayAttemptRow, TaskRow } from '../../ledger/rows.ts'
import { settleAnswer } from '../../settlement/settle-answer.ts'
import type { SettleDeps } from '../../settlement/settle-result.ts'
import type { AskedAttempt, ChannelDesk } from '../channel-desk.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'

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

/** The payAttempt that a task is about, `channel/outTradeNo`. */
export function attemptOf({ task, rows }: Pick<TaskView, 'task' | 'rows'>): PayAttemptRow | undefined {
  return rows.find(
    (row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && `${row.channel}/${row.outTradeNo}` === task.bizNo,
  )
}

function lookAtAttempt(desk: ChannelDesk, view: TaskView): Look {
  const { task, order, now } = view
  const attempt = attemptOf(view)
  if (attempt === undefined || order === undefined) {
    return {
      kind: 'escalate',
      reason: 'ORDER_NOT_FOUND',
      message: 'The payAttempt of a query is gone. Look for its row.',
    }
  }
  if (!desk.canQuery(attempt.channel)) return { kind: 'moot', status: 'CLOSED', reason: 'QUERY_UNSUPPORTED' }
  if (attempt.state === 'PAID') return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_PAID' }
  if (attempt.state === 'FAILED' && order.status !== 'CLOSED' && !isPayable(order.status)) {
    return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_FAILED' }
  }
  if (order.status !== 'CLOSED' && attempt.state === 'CLOSED') {
    return { kind: 'moot', status: 'SUCCESS', reason: 'PAY_ATTEMPT_CLOSED' }
  }
  return lateWatch(task, order, now) ?? { kind: 'go', target: attempt.channel, idempotencyKey: task.idempotencyKey }
}

function lateWatch(task: TaskRow, order: OrderRow, now: Instant): Look | undefined {
  if (order.status !== 'CLOSED') return undefined
  const closedAt = order.closedAt ?? order.updatedAt
  const lastAsked = task.lastExecuteAt !== undefined && task.lastExecuteAt > closedAt ? task.lastExecuteAt : closedAt
  const next = nextLateWatch(closedAt, lastAsked)
  if (next === undefined) return { kind: 'moot', status: 'SUCCESS', reason: 'LEFT_TO_THE_BILL' }
  return next > plusMs(now, 1000) ? { kind: 'park', until: next, reason: 'LATE_WATCH' } : undefined
}

async function askChannel(desk: ChannelDesk, settle: SettleDeps, view: TaskView): Promise<Execution> {
  const attempt = attemptOf(view)
  if (attempt === undefined) return { outcome: { kind: 'notYet', code: 'PAY_ATTEMPT_MISSING' } }
  const asked = await desk.query(withNamed(attempt, view.task), view.passes?.[attempt.channel])
  if (asked.kind === 'parked')
    return { outcome: { kind: 'notYet', code: 'GATE' }, next: { at: asked.until, rule: 'gate', isPause: true } }
  if (asked.kind === 'unsupported') return { outcome: { kind: 'notYet', code: 'QUERY_UNSUPPORTED' } }
  const { answer } = asked
  const outcome = await outcomeOf(settle, view, answer)
  return { outcome, resultSnapshot: { state: answer.state, code: answer.outcome.code }, ...watchOn(view, outcome) }
}

/** Adds the payment that a hint named, which is all that some payAttempts can be asked by. */
function withNamed(attempt: PayAttemptRow, { requestSnapshot }: TaskRow): AskedAttempt {
  const named = requestSnapshot?.['channelTxnId']
  const channelTxnId = typeof named === 'string' ? parseChannelTxnId(named) : undefined
  return channelTxnId === undefined ? attempt : { ...attempt, channelTxnId }
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

/** After the close the ladder is the late watch, and its end is the bill. */
function watchOn({ order, now }: TaskView, outcome: Outcome): Pick<Execution, 'next'> {
  if (order?.status !== 'CLOSED' || outcome.kind !== 'notYet') return {}
  const at = nextLateWatch(order.closedAt ?? order.updatedAt, now)
  return at === undefined ? {} : { next: { at, rule: 'late watch' } }
}
