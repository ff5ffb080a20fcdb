import { allOf, isAbsent, revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { PayAttemptRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'

/** The channel's own number of a payAttempt, set once: later questions to the channel rest on it. */
export function addChannelRefWrite(attempt: PayAttemptRow, channelRef: string): Write {
  return update(attempt, { set: { channelRef } }, allOf(revIs(attempt.rev), isAbsent('channelRef')))
}
