import { type CronExpression, parseCron } from './cron-expression.ts'
import { InvalidExpressionError } from './errors.ts'
import { fromWallClock, toWallClock } from './zoned-time.ts'

/** A parsed schedule expression. */
export type Expression =
  | { readonly kind: 'at'; readonly wallMs: number }
  | { readonly kind: 'rate'; readonly intervalMs: number }
  | { readonly kind: 'cron'; readonly cron: CronExpression }

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

// Longer than the clocks are ever moved at once.
const longestChangeMs = 3 * 3_600_000

/** @throws InvalidExpressionError when it is none of at(…), rate(…), cron(…) */
export function parseExpression(expression: string): Expression {
  const [, kind, inner = ''] = /^(at|rate|cron)\((.*)\)$/.exec(expression.trim()) ?? []
  if (kind === 'cron') return { kind, cron: parseCron(inner) }
  if (kind === 'rate') return { kind, intervalMs: parseRate(inner) }
  if (kind === 'at') return { kind, wallMs: parseAt(inner) }
  throw new InvalidExpressionError(`"${expression}" is none of at(…), rate(…) and cron(…)`)
}

function parseRate(text: string): number {
  const [, count = '', unit = ''] = /^\s*(\d+)\s+(minute|hour|day)s?\s*$/.exec(text) ?? []
  const intervalMs = Number(count) * (unitMs[unit] ?? 0)
  if (intervalMs > 0) return intervalMs
  throw new InvalidExpressionError(`rate(${text}) needs a number above 0 and minutes, hours or days`)
}

function parseAt(text: string): number {
  const isShaped = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text)
  const wallMs = isShaped ? Date.parse(`${text}Z`) : Number.NaN
  // Date.parse lets 31 February roll over.
  if (!Number.isNaN(wallMs) && new Date(wallMs).toISOString().startsWith(text)) return wallMs
  throw new InvalidExpressionError(`at(${text}) needs a date as yyyy-mm-ddThh:mm:ss`)
}

/** The instant of an at(…) in ms since the epoch, past or future; `undefined` for a recurring expression. */
export function onceAt(expression: string, timeZone: string): number | undefined {
  const parsed = parseExpression(expression)
  return parsed.kind === 'at' ? fromWallClock(timeZone, parsed.wallMs) : undefined
}

/**
 * The first firing after an instant, `undefined` when there is none.
 * @param timeZone IANA name, in which at(…) and cron(…) are read
 * @param afterMs ms since the epoch; rate(…) counts from here, so pass the previous firing
 * @throws InvalidExpressionError; RangeError for an unknown time zone
 * A cron time that the spring change skips moves forward by the gap; one that autumn shows twice fires the first time only.
 */
export function nextFire(expression: string, timeZone: string, afterMs: number): number | undefined {
  const parsed = parseExpression(expression)
  switch (parsed.kind) {
    case 'rate':
      return afterMs + parsed.intervalMs
    case 'at': {
      const atMs = fromWallClock(timeZone, parsed.wallMs)
      return atMs > afterMs ? atMs : undefined
    }
    case 'cron':
      return nextCron(parsed.cron, timeZone, afterMs)
    default:
      return parsed satisfies never
  }
}

function nextCron(cron: CronExpression, timeZone: string, afterMs: number): number | undefined {
  for (const wallMs of wallTimes(cron, searchStart(timeZone, afterMs))) {
    const instantMs = fromWallClock(timeZone, wallMs)
    if (instantMs > afterMs) return instantMs
  }
  return undefined
}

/** The wall clock at an instant; earlier when the clocks have just changed, since skipped times are still to come then. */
function searchStart(timeZone: string, afterMs: number): number {
  const [wallMs, wallBeforeMs] = [toWallClock(timeZone, afterMs), toWallClock(timeZone, afterMs - longestChangeMs)]
  return wallMs - wallBeforeMs === longestChangeMs ? wallMs : Math.min(wallMs, wallBeforeMs)
}

/** Matching wall-clock times from a start on, in order. */
function* wallTimes(cron: CronExpression, fromMs: number): Generator<number> {
  const start = new Date(fromMs)
  const lastYear = Math.max(...cron.years)
  let [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate()]
  while (year <= lastYear) {
    if (cron.years.has(year) && cron.months.has(month)) yield* timesOfMonth(cron, year, month, day, fromMs)
    day = 1
    month = (month % 12) + 1
    if (month === 1) year++
  }
}

function* timesOfMonth(
  cron: CronExpression,
  year: number,
  month: number,
  firstDay: number,
  fromMs: number,
): Generator<number> {
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  for (let day = firstDay; day <= daysInMonth; day++) {
    const midnightMs = Date.UTC(year, month - 1, day)
    if (!cron.isDay({ day, weekday: new Date(midnightMs).getUTCDay() + 1, daysInMonth })) continue
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const wallMs = midnightMs + hour * 3_600_000 + minute * 60_000
        if (wallMs >= fromMs) yield wallMs
      }
    }
  }
}
