import { type Instant, instantOf, parseInstant } from '../core/instant.ts'
import { type MinorUnits, parseMinorUnits } from '../core/money.ts'
import { InexactNumber, isJsonObject, type JsonObject } from './json.ts'

/** A place in a verified notice: its path for the ticket, and what stands there (`undefined` when nothing does). */
export interface Field {
  readonly path: string
  readonly value: unknown
}

/** A field that a notice or an answer needs is not readable. Thrown by the readers here, caught by `readNotice` and `readAnswer`. */
export class UnreadableFieldError extends Error {
  override readonly name = 'UnreadableFieldError'
  readonly code = 'UNREADABLE_FIELD'
  readonly field: string
  readonly problem: string

  constructor(field: string, problem: string) {
    super(`The field '${field}' ${problem}.`)
    this.field = field
    this.problem = problem
  }
}

export function rootOf(value: JsonObject): Field {
  return { path: '', value }
}

/** The field under `names`, one name per level; a level that is no object has nothing below it. */
export function at(field: Field, ...names: readonly string[]): Field {
  return names.reduce<Field>((parent, name) => {
    const path = parent.path === '' ? name : `${parent.path}.${name}`
    const { value } = parent
    // Own names only: a path of the configuration must not reach `constructor`.
    return { path, value: isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined }
  }, field)
}

export function isAbsent(field: Field): boolean {
  return field.value === undefined || field.value === null
}

/** The text there, or `undefined` when there is none or something else: for words that only choose a branch. */
export function wordOf(field: Field): string | undefined {
  return typeof field.value === 'string' ? field.value : undefined
}

/** @throws UnreadableFieldError */
export function readText(field: Field): string {
  if (isAbsent(field)) throw new UnreadableFieldError(field.path, 'is missing')
  if (typeof field.value !== 'string') throw new UnreadableFieldError(field.path, 'is not text')
  return field.value
}

/**
 * The text of a number that identifies something. Some senders write one as a bare JSON number; then it is its digits as sent, of
 * whatever length.
 */
function idTextOf({ value }: Field): string | undefined {
  if (typeof value === 'string') return value
  const digits = value instanceof InexactNumber ? value.source : typeof value === 'number' ? String(value) : ''
  return /^\d+$/.test(digits) ? digits : undefined
}

/** @throws UnreadableFieldError when it is missing or `parse` refuses it */
export function readId<T>(field: Field, parse: (text: string) => T | undefined): T {
  const id = parse(idTextOf(field) ?? readText(field))
  if (id === undefined) throw new UnreadableFieldError(field.path, 'has a form that its kind of number cannot have')
  return id
}

/** The id there if `parse` takes it, else `undefined`: for numbers that may be somebody else's, and for hints. */
export function idIfOurs<T>(field: Field, parse: (text: string) => T | undefined): T | undefined {
  const text = idTextOf(field)
  return text === undefined ? undefined : parse(text)
}

/** Runs a reader of a field that nothing depends on: what it cannot read is absent, and costs nothing else. */
export function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadableFieldError)) throw error
    return undefined
  }
}

/** @throws UnreadableFieldError unless it is a plain integer of 0 to 2^53 - 1 */
export function readInteger(field: Field): MinorUnits {
  const value = parseMinorUnits(field.value)
  if (value === undefined) {
    throw new UnreadableFieldError(field.path, isAbsent(field) ? 'is missing' : 'is not a plain integer of at least 0')
  }
  return value
}

const LAST_SECOND = 253_402_300_799 // 9999-12-31T23:59:59Z: an Instant has four digits of year

/** Unix seconds. @throws UnreadableFieldError */
export function readUnixTime(field: Field): Instant {
  const seconds = readInteger(field)
  if (seconds > LAST_SECOND) throw new UnreadableFieldError(field.path, 'is beyond the year 9999')
  return instantOf(seconds * 1000)
}

/** RFC 3339 text with a zone. @throws UnreadableFieldError */
export function readTime(field: Field): Instant {
  const instant = parseInstant(readText(field))
  if (instant === undefined) throw new UnreadableFieldError(field.path, 'is not a time with a zone')
  return instant
}
