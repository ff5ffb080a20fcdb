import type { PayAttemptEndDecision } from '../../core/decide-attempt-end.ts'
import type { Instant } from '../../core/instant.ts'
import { type Cause, moveOrder } from '../order/change-order.ts'
import { countEnded, openTriesAfter } from '../order/open-tries.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, PayAttemptRow } from '../table/rows.ts'
import { movePayAttempt } from './move-pay-attempt.ts'

/**
 * A payAttempt that its channel called failed or closed, and the order, whose count of open tries it goes through: of two that end at
 * the same moment the second sees that it is the last one.
 */
export function endPayAttemptWrites(
  order: OrderRow,
  attempt: PayAttemptRow,
  decision: Extract<PayAttemptEndDecision, { kind: 'end' }>,
  why: { readonly cause: Cause; readonly now: Instant },
): readonly Write[] {
  const ended = movePayAttempt(attempt, decision.event)
  if (!decision.orderFails) return [ended, countEnded(order, [attempt])]
  const set = { openTries: openTriesAfter(order, [attempt]) }
  return [ended, ...moveOrder(order, 'failAllPayAttempts', why, { set, remove: ['duePk', 'dueAt'] })]
}
