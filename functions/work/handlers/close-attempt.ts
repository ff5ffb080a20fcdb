import { plusMs } from '../../core/instant.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import { closePayAttemptWrite } from '../../ledger/close-pay-attempt.ts'
import { attemptSk } from '../../ledger/keys.ts'
import { readCollection } from '../../ledger/queries.ts'
import { settleAnswer } from '../../settlement/settle-answer.ts'
import type { SettleDeps } from '../../settlement/settle-result.ts'
import type { ChannelDesk } from '../channel-desk.ts'
import { type Closing, closeAtChannel } from '../close-at-channel.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'
import { lastExpiry, MOVING_LOOK_MS, waitsForExpiry } from './expiry.ts'
import { attemptOf } from './query-payment.ts'

/**
 * CLOSE_ATTEMPT: closes a payAttempt at its channel because another one was paid, so that the buyer cannot pay twice. Paid in the
 * meantime it becomes SURPLUS money through the decision table.
 * Source: design.md section 3; cases C042
 */
export function closeAttemptHandler(desk: ChannelDesk, settle: SettleDeps): TaskHandler {
  return {
    reportsToGate: true,
    load: async (ledger, task) => (await readCollection(ledger, task.pk)).payAttempts,
    look: (view) => lookAtAttempt(desk, view),
    call: async (view) => {
      const attempt = attemptOf(view)
      if (attempt === undefined) return { outcome: { kind: 'notYet', code: 'PAY_ATTEMPT_MISSING' } }
      return executionOf(settle, view, await closeAtChannel(desk, attempt, view.passes?.[attempt.channel]))
    },
    commit: (view) => {
      const attempt = attemptOf(view)
      return { writes: attempt === undefined ? [] : closePayAttemptWrite(attempt), releasesOrder: false }
    },
  }
}

function lookAtAttempt(desk: ChannelDesk, view: TaskView): Look {
  const { task, order, now } = view
  const attempt = attemptOf(view)
  if (attempt === undefined || order === undefined) {
    return {
      kind: 'escalate',
      reason: 'ORDER_NOT_FOUND',
      message: 'The payAttempt to close is gone. Look for its row.',
    }
  }
  if (!isOpen(attempt.state)) return { kind: 'moot', status: 'SUCCESS', reason: `PAY_ATTEMPT_${attempt.state}` }
  const until = lastExpiry(desk, [attempt])
  if (waitsForExpiry(until, now)) return { kind: 'park', until, reason: 'PAY_ATTEMPT_NOT_EXPIRED' }
  return { kind: 'go', target: attempt.channel, idempotencyKey: task.idempotencyKey }
}

async function executionOf(settle: SettleDeps, { task, now }: TaskView, closing: Closing): Promise<Execution> {
  switch (closing.kind) {
    case 'closed':
      return { outcome: { kind: 'done' } }
    case 'paid': {
      if (closing.event === undefined) return { outcome: { kind: 'mismatch', code: 'PAID_THEN_REFUNDED' } }
      const evidence = { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) }
      return {
        outcome: (await settleAnswer(settle, closing.event, evidence)) ?? { kind: 'done', code: 'PAID_MEANWHILE' },
      }
    }
    case 'moving':
      return {
        outcome: { kind: 'notYet', code: 'MONEY_IS_MOVING' },
        next: { at: plusMs(now, MOVING_LOOK_MS), rule: 'money is moving', isPause: true },
      }
    case 'parked':
      return {
        outcome: { kind: 'notYet', code: 'GATE' },
        next: { at: closing.until, rule: 'gate', isPause: true },
      }
    case 'unknown':
      return { outcome: closing.outcome }
  }
}
