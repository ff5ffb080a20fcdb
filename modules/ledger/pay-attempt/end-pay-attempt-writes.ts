import type { PayAttemptEndDecision } from '../../core/decide-attempt-end.ts'
import type { Instant } from '../../core/instant.ts'
import { statesBefore, stepOf } from '../../core/machine.ts'
import { payAttemptMachine } from '../../core/pay-attempt.ts'
import { type Cause, moveOrder } from '../order/change-order.ts'
import { payAttemptStateIs } from '../table/conditions.ts'
import type { OrderRow, PayAttemptRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'

/** A payAttempt that its channel called failed or closed, and the order that has no open one left. */
export function payAttemptEndWrites(
  order: OrderRow,
  attempt: PayAttemptRow,
  decision: Extract<PayAttemptEndDecision, { kind: 'end' }>,
  cause: Cause,
  now: Instant,
): readonly Write[] {
  const state = stepOf(payAttemptMachine, attempt.state, decision.event)
  return [
    {
      op: 'update',
      key: { pk: attempt.pk, sk: attempt.sk },
      set: { state },
      when: payAttemptStateIs(...statesBefore(payAttemptMachine, decision.event)),
    },
    ...(decision.orderFails ? moveOrder(order, 'failAllPayAttempts', cause, now, { remove: ['duePk', 'dueAt'] }) : []),
  ]
}
