import { InvalidExpressionError } from './errors.ts'

/** A day in a month as cron means it: numbers are 1-based, weekdays 1 (Sunday) to 7. */
export interface CalendarDay {
  readonly day: number
  readonly weekday: number
  readonly daysInMonth: number
}

/** A parsed cron(minutes hours day-of-month month day-of-week year). */
export interface CronExpression {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly months: ReadonlySet<number>
  readonly years: ReadonlySet<number>
  readonly isDay: (day: CalendarDay) => boolean
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const dayOfMonth: Field = { name: 'day-of-month', min: 1, max: 31 }
const dayOfWeek: Field = { name: 'day-of-week', min: 1, max: 7, names: weekdayNames }

/**
 * Parses what stands between the brackets of cron(…).
 * @throws InvalidExpressionError naming the field
 * Source: EventBridge Scheduler User Guide, "Cron-based schedules".
 */
export function parseCron(text: string): CronExpression {
  const fields = text.trim().toUpperCase().split(/\s+/)
  const [minutes, hours, monthDay, months, weekday, years] = fields
  if (years === undefined || fields.length !== 6) {
    throw new InvalidExpressionError(`cron(${text}) needs six fields`)
  }
  if ((monthDay === '?') === (weekday === '?')) {
    throw new InvalidExpressionError(`cron(${text}) needs ? in exactly one of day-of-month and day-of-week`)
  }
  return {
    minutes: parseNumbers(minutes ?? '', { name: 'minutes', min: 0, max: 59 }),
    hours: parseNumbers(hours ?? '', { name: 'hours', min: 0, max: 23 }),
    months: new Set(parseNumbers(months ?? '', { name: 'month', min: 1, max: 12, names: monthNames })),
    years: new Set(parseNumbers(years, { name: 'year', min: 1970, max: 2199 })),
    isDay: weekday === '?' ? parseMonthDays(monthDay ?? '') : parseWeekdays(weekday ?? ''),
  }
}

function parseNumbers(text: string, field: Field): number[] {
  const numbers = new Set(text.split(',').flatMap((part) => parsePart(part, field)))
  return [...numbers].sort((a, b) => a - b)
}

/** One of: * | a | a-b, each with an optional /step. A range may run past the end: FRI-MON. */
function parsePart(part: string, field: Field): number[] {
  const [range = '', step, ...rest] = part.split('/')
  const stride = step === undefined ? 1 : Number(step)
  if (rest.length > 0 || !Number.isInteger(stride) || stride < 1) throw invalidField(part, field)
  const [first = '', last, ...more] = range.split('-')
  if (more.length > 0) throw invalidField(part, field)
  const from = first === '*' ? field.min : parseValue(first, field)
  const isOpen = first === '*' || (last === undefined && step !== undefined)
  const to = isOpen ? field.max : last === undefined ? from : parseValue(last, field)
  const width = field.max - field.min + 1
  const length = ((to - from + width) % width) + 1
  const numbers: number[] = []
  for (let i = 0; i < length; i += stride) numbers.push(((from - field.min + i) % width) + field.min)
  return numbers
}

function parseValue(text: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1
  if (named >= 0) return named + field.min
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < field.min || value > field.max) throw invalidField(text, field)
  return value
}

const invalidField = (text: string, { name, min, max }: Field): InvalidExpressionError =>
  new InvalidExpressionError(`"${text}" is not a ${name} (${min} to ${max})`)

function parseMonthDays(text: string): (day: CalendarDay) => boolean {
  const tests = text.split(',').map((part): ((day: CalendarDay) => boolean) => {
    if (part === 'L') return ({ day, daysInMonth }) => day === daysInMonth
    if (part === 'LW') return (date) => date.day === nearestWorkday(date, date.daysInMonth)
    const workday = /^(\d+)W$/.exec(part)?.[1]
    if (workday !== undefined) {
      const target = parseValue(workday, dayOfMonth)
      return (date) => target <= date.daysInMonth && date.day === nearestWorkday(date, target)
    }
    const days = new Set(parsePart(part, dayOfMonth))
    return ({ day }) => days.has(day)
  })
  return (date) => tests.some((test) => test(date))
}

/** The working day nearest to a day of the same month, never outside it. */
function nearestWorkday({ day, weekday, daysInMonth }: CalendarDay, target: number): number {
  const targetWeekday = ((((weekday - 1 + target - day) % 7) + 7) % 7) + 1
  if (targetWeekday === 7) return target === 1 ? target + 2 : target - 1
  if (targetWeekday === 1) return target === daysInMonth ? target - 2 : target + 1
  return target
}

function parseWeekdays(text: string): (day: CalendarDay) => boolean {
  const tests = text.split(',').map((part): ((day: CalendarDay) => boolean) => {
    if (part === 'L') return ({ weekday }) => weekday === 7
    const last = /^(\w+)L$/.exec(part)?.[1]
    if (last !== undefined) {
      const target = parseValue(last, dayOfWeek)
      return ({ weekday, day, daysInMonth }) => weekday === target && day + 7 > daysInMonth
    }
    const [, name, nth] = /^(\w+)#([1-5])$/.exec(part) ?? []
    if (name !== undefined) {
      const target = parseValue(name, dayOfWeek)
      return ({ weekday, day }) => weekday === target && Math.ceil(day / 7) === Number(nth)
    }
    const weekdays = new Set(parsePart(part, dayOfWeek))
    return ({ weekday }) => weekdays.has(weekday)
  })
  return (date) => tests.some((test) => test(date))
}
