const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}

/** Whether the machine knows this IANA name. */
export function isTimeZone(timeZone: string): boolean {
  try {
    formatFor(timeZone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** What the clock on the wall shows at an instant, written as if it were UTC (ms). */
export function toWallClock(timeZone: string, instantMs: number): number {
  if (timeZone === 'UTC') return Math.floor(instantMs / 1000) * 1000
  const parts = Object.fromEntries(
    formatFor(timeZone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const dayMs = 86_400_000

/**
 * The instant at which the wall clock shows a time, given as if it were UTC (ms).
 * A time that the spring change skips moves forward by the width of the gap; of a time that autumn shows twice, the first.
 */
export function fromWallClock(timeZone: string, wallMs: number): number {
  const offsetAt = (instantMs: number): number => toWallClock(timeZone, instantMs) - instantMs
  const offsetBefore = offsetAt(wallMs - dayMs)
  const offsetAfter = offsetAt(wallMs + dayMs)
  const candidates = [wallMs - offsetBefore, wallMs - offsetAfter].filter(
    (instantMs) => toWallClock(timeZone, instantMs) === wallMs,
  )
  return candidates.length === 0 ? wallMs - offsetBefore : Math.min(...candidates)
}
