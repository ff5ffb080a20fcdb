const MINUTE_MS = 60_000

/** Waits after each failed try to publish a change, in ms; then the last of them again and again. Source: ADR 0013 */
export const REPUBLISH_MS: readonly number[] = [1, 3, 10, 30, 60].map((minutes) => minutes * MINUTE_MS)

/**
 * How long a change of an order waits after so many failed tries to publish it. There is no end: a change that was never told
 * is told whenever the bus takes it.
 * @param failures 1 after the first failed try
 * @throws RangeError when failures < 1: a bug in the caller
 */
export function republishDelayMs(failures: number): number {
  if (!Number.isInteger(failures) || failures < 1) throw new RangeError('The first failed try is number 1.')
  const delayMs = REPUBLISH_MS[Math.min(failures, REPUBLISH_MS.length) - 1]
  if (delayMs === undefined) throw new RangeError('There is no wait between tries.')
  return delayMs
}
