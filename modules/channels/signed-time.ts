import { type Instant, msOf } from '../core/instant.ts'

/** How far a signed time may lie from the time of receipt, before or after. Source: docs/channels/README.md, Checks of a callback */
export const TOLERANCE_MS = 300_000

const DIGITS = /^\d{1,12}$/

/** Unix seconds of digits only: `parseInt` would read `1793584798abc`. */
export function parseUnixSeconds(text: string): number | undefined {
  return DIGITS.test(text) ? Number(text) : undefined
}

/** Both directions, since a sender's clock that runs ahead would widen the window for a replay. */
export function isWithinTolerance(signedSeconds: number, receivedAt: Instant): boolean {
  return Math.abs(msOf(receivedAt) - signedSeconds * 1000) <= TOLERANCE_MS
}
