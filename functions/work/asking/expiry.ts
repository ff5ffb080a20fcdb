import { EXPIRY_GRACE_MS } from '../../../modules/channels/client.ts'
import { type Instant, plusMs } from '../../../modules/core/instant.ts'
import type { PayAttemptRow } from '../../../modules/ledger/table/rows.ts'
import type { ChannelDesk } from './channel-desk.ts'

/** A bank debit takes hours to days; it is looked at this often, without alarm. */
export const MOVING_LOOK_MS = 30 * 60 * 1000

/** The slowest bank debits are through, or not, by then (SEPA: 14 days of banks); after it somebody must look. */
export const MOVING_WINDOW_MS = 21 * 24 * 60 * 60 * 1000

/** Whether money that is under way since then may still arrive, or not. */
export const isInWindow = ({ createdAt }: { readonly createdAt: Instant }, now: Instant): boolean =>
  now < plusMs(createdAt, MOVING_WINDOW_MS)

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
