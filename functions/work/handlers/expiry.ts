import { EXPIRY_GRACE_MS } from '../../channels/client.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { PayAttemptRow } from '../../ledger/rows.ts'
import type { ChannelDesk } from '../channel-desk.ts'

/** A bank debit takes hours to days; it is looked at this often, without alarm. */
export const MOVING_LOOK_MS = 30 * 60 * 1000

/** Until when payAttempts are waited out whose channel cannot be asked; `undefined` when all can. */
export function lastExpiry(
  desk: Pick<ChannelDesk, 'canQuery'>,
  attempts: readonly PayAttemptRow[],
): Instant | undefined {
  return attempts
    .filter(({ channel }) => !desk.canQuery(channel))
    .map(({ expiresAt }) => plusMs(expiresAt, EXPIRY_GRACE_MS))
    .sort()
    .at(-1)
}

export function waitsForExpiry(until: Instant | undefined, now: Instant): until is Instant {
  return until !== undefined && now < until
}
