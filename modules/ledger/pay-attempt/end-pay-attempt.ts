import type { PayAttemptEndDecision } from '../../core/decide-attempt-end.ts'
import type { Instant } from '../../core/instant.ts'
import { type Cause, moveOrder } from '../order/change-order.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, PayAttemptRow } from '../table/rows.ts'
import { movePayAttempt } from './move-pay-attempt.ts'

/** A payAttempt that its channel called failed or closed, and the order that has no open one left. */
export function endPayAttemptWrites(
  order: OrderRow,
  attempt: PayAttemptRow,
  decision: Extract<PayAttemptEndDecision, { kind: 'end' }>,
  why: { readonly cause: Cause; readonly now: Instant },
): readonly Write[] {
  const ended = movePayAttempt(attempt, decision.event)
  if (!decision.orderFails) return [ended]
  return [ended, ...moveOrder(order, 'failAllPayAttempts', why, { remove: ['duePk', 'dueAt'] })]
}
