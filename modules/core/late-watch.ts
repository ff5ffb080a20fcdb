import { type Instant, plusMs } from './instant.ts'

const HOUR_MS = 60 * 60 * 1000

/** When a closed order's payAttempts are asked once more; then it is left to the bill. Source: docs/design/task-types.md. */
export const LATE_WATCH_MS: readonly number[] = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

/**
 * The next look at a payAttempt of a closed order: paid before the close with every callback lost must be found.
 * @param after the last time that it was asked; the look must be later
 * @returns `undefined` when the watch is over
 */
export function nextLateWatch(closedAt: Instant, after: Instant): Instant | undefined {
  return LATE_WATCH_MS.map((ms) => plusMs(closedAt, ms)).find((at) => at > after)
}
