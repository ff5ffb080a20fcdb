import type { Brand } from './brand.ts'

/** A moment as `YYYY-MM-DDTHH:mm:ss.sssZ`: sorts as text, and is the only form of time in rows, keys and messages. */
export type Instant = Brand<string, 'Instant'>

/** Years outside 0 to 9999 get a sign and six digits from Date, and sort before all others. */
const FORM = 'YYYY-MM-DDTHH:mm:ss.sssZ'

/** @param ms milliseconds since the epoch. @throws RangeError outside the years 0 to 9999: a bug in the caller */
export function instantOf(ms: number): Instant {
  const text = new Date(ms).toISOString()
  if (text.length !== FORM.length) throw new RangeError(`${text} is outside the years 0 to 9999 and would not sort.`)
  return text as Instant
}

/** Milliseconds since the epoch of an instant. */
export function msOf(instant: Instant): number {
  return Date.parse(instant)
}

/** The instant `ms` later (earlier when negative). @throws RangeError as {@link instantOf} */
export function plusMs(instant: Instant, ms: number): Instant {
  return instantOf(msOf(instant) + ms)
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Reads an ISO 8601 / RFC 3339 time with a zone (`Z` or an offset) into UTC.
 * @returns `undefined` for anything else: no zone, no such day, other text
 */
export function parseInstant(text: string): Instant | undefined {
  if (!ISO.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  const day = Number(text.slice(8, 10))
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
  if (day > daysInMonth) return undefined
  // An offset can carry the last hours of year 9999 and the first of year 0 out of the four-digit form.
  const form = new Date(ms).toISOString()
  return form.length === FORM.length ? instantOf(ms) : undefined
}
