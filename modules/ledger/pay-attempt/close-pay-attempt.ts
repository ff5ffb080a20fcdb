import { statesBefore } from '../../core/machine.ts'
import { payAttemptMachine } from '../../core/pay-attempt.ts'
import { payAttemptStateIs } from '../table/conditions.ts'
import type { PayAttemptRow } from '../table/rows.ts'
import type { Update } from '../table/writes.ts'

/** A payAttempt that can be paid no more, on its channel's word; nothing when its state has no such edge. */
export function closePayAttemptWrite(attempt: PayAttemptRow): readonly Update[] {
  const state = payAttemptMachine.edges[attempt.state].confirmClosed
  if (state === undefined) return []
  return [
    {
      op: 'update',
      key: { pk: attempt.pk, sk: attempt.sk },
      set: { state },
      when: payAttemptStateIs(...statesBefore(payAttemptMachine, 'confirmClosed')),
    },
  ]
}
