import { allOf, isAbsent, revIs } from '../table/conditions.ts'
import type { PayAttemptRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'

/**
 * The channel's own number of a payAttempt, set once: later questions to the channel rest on it.
 * Source: docs/design/states.md, payAttempt
 */
export function addChannelRefWrite(attempt: PayAttemptRow, channelRef: string): Write {
  return {
    op: 'update',
    key: { pk: attempt.pk, sk: attempt.sk },
    set: { channelRef },
    when: allOf(revIs(attempt.rev), isAbsent('channelRef')),
  }
}
