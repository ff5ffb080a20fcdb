import type { BookDeps } from '../../../modules/booking/booked.ts'
import { isOpen } from '../../../modules/core/pay-attempt.ts'
import { countEndedAndRelease } from '../../../modules/ledger/order/open-tries.ts'
import { closePayAttempt } from '../../../modules/ledger/pay-attempt/move-pay-attempt.ts'
import { readCollection } from '../../../modules/ledger/read/queries.ts'
import { attemptOf, withNamed } from '../asking/asked-payment.ts'
import type { ChannelDesk } from '../asking/channel-desk.ts'
import { closeAtChannel } from '../asking/close-at-channel.ts'
import { lastExpiry, waitsForExpiry } from '../asking/expiry.ts'
import { unclosed } from '../asking/unclosed.ts'
import type { Look, TaskHandler, TaskView } from '../task-handler.ts'

/**
 * CLOSE_ATTEMPT: closes a payAttempt at its channel because another one was paid, so that the buyer cannot pay twice. Paid in the
 * meantime it becomes SURPLUS money through the decision table.
 * Source: docs/design/task-types.md
 */
export function closeAttemptHandler(desk: ChannelDesk, booking: BookDeps): TaskHandler {
  return {
    reportsToGate: true,
    load: async (ledger, task) => {
      const file = await readCollection(ledger, task.pk)
      return [...file.payAttempts, ...file.payments, ...file.tasks]
    },
    look: (view) => lookAtPayAttempt(desk, view),
    call: async (view) => {
      const attempt = attemptOf(view)
      if (attempt === undefined) return { outcome: { kind: 'notYet', code: 'PAY_ATTEMPT_MISSING' } }
      const closing = await closeAtChannel(desk, withNamed(attempt, view.rows), view.passes?.[attempt.channel])
      if (closing.kind === 'closed') return { outcome: { kind: 'done' } }
      return unclosed(booking, { view, attempt }, closing, { outcome: { kind: 'done', code: 'PAID_MEANWHILE' } })
    },
    commit: (view, ours) => {
      const attempt = attemptOf(view)
      const closed = attempt === undefined ? [] : closePayAttempt(attempt)
      if (attempt === undefined || view.order === undefined || closed.length === 0)
        return { writes: closed, releasesOrder: false }
      return { writes: [...closed, countEndedAndRelease(view.order, [attempt], ours)], releasesOrder: true }
    },
  }
}

function lookAtPayAttempt(desk: ChannelDesk, view: TaskView): Look {
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
