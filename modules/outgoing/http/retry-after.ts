/**
 * A Retry-After header, in seconds or as a date, in ms from now.
 * @returns `undefined` when there is none or it is neither
 */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
