import { stepOf } from '../../core/machine.ts'
import { type PayAttemptEvent, payAttemptMachine } from '../../core/pay-attempt.ts'
import type { Update } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { PayAttemptRow } from '../table/rows.ts'

/**
 * The only way a payAttempt's state changes. It holds in every state from which the event leads to the same one: a channel's word
 * is a fact, whoever wrote the row meanwhile.
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function movePayAttempt(attempt: PayAttemptRow, event: PayAttemptEvent): Update {
  return moveRow(payAttemptMachine, { target: attempt, from: attempt.state }, event)
}

/** A payAttempt that can be paid no more, on its channel's word; nothing when its state has no such edge. */
export function closePayAttempt(attempt: PayAttemptRow): readonly Update[] {
  const closes = stepOf(payAttemptMachine, attempt.state, 'confirmClosed') !== undefined
  return closes ? [movePayAttempt(attempt, 'confirmClosed')] : []
}
