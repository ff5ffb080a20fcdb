import { isObject, type Json, type JsonObject } from '../template/json.ts'

/**
 * Whether an event matches a pattern in the language of EventBridge rules and event source filters.
 * @throws Error for an operator that this host does not know: a filter must never let everything pass in silence
 * Source: EventBridge user guide, "Comparison operators"; Lambda developer guide, "Filter rule syntax"
 */
export function matchesPattern(pattern: JsonObject, event: Json | undefined): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') return asList(expected, key).some((option) => matchesPattern(asPattern(option, key), event))
    const actual = isObject(event) ? event[key] : undefined
    if (Array.isArray(expected)) return expected.some((rule) => matchesRule(rule, actual))
    const nested = asPattern(expected, key)
    if (Array.isArray(actual)) return actual.some((item) => matchesPattern(nested, item))
    return matchesPattern(nested, actual)
  })
}

/** Throws for a pattern that `matchesPattern` would refuse, before the first event comes. */
export function checkPattern(pattern: JsonObject): void {
  for (const [key, expected] of Object.entries(pattern)) {
    if (key === '$or') for (const option of asList(expected, key)) checkPattern(asPattern(option, key))
    else if (Array.isArray(expected)) for (const rule of expected) matchesRule(rule, '')
    else checkPattern(asPattern(expected, key))
  }
}

function matchesRule(rule: Json, actual: Json | undefined): boolean {
  if (!isObject(rule)) return valuesOf(actual).some((value) => value === rule)
  const [operator = '', ...others] = Object.keys(rule)
  const operand = rule[operator] ?? null
  if (others.length > 0) throw new Error(`A pattern has two operators in one place: ${JSON.stringify(rule)}`)
  // A leaf exists when it has a value; an object with members is a branch.
  if (operator === 'exists') return (actual !== undefined && !isObject(actual)) === (operand === true)
  if (operator === 'anything-but')
    return actual !== undefined && !valuesOf(actual).some((value) => isExcluded(operand, value))
  const check = operators[operator]
  if (check === undefined) throw new Error(`A pattern has an unknown operator: ${JSON.stringify(rule)}`)
  return valuesOf(actual).some((value) => check(operand, value))
}

function isExcluded(operand: Json, value: Json): boolean {
  if (Array.isArray(operand)) return operand.includes(value)
  return isObject(operand) ? matchesRule(operand, value) : operand === value
}

type Operator = (operand: Json, value: Json) => boolean

/** A text operator takes one text or a list of them. */
const onText =
  (check: (operand: string, value: string) => boolean): Operator =>
  (operand, value) =>
    (Array.isArray(operand) ? operand : [operand]).some(
      (option) => typeof option === 'string' && typeof value === 'string' && check(option, value),
    )

const operators: Record<string, Operator> = {
  prefix: onText((operand, value) => value.startsWith(operand)),
  suffix: onText((operand, value) => value.endsWith(operand)),
  'equals-ignore-case': onText((operand, value) => value.toLowerCase() === operand.toLowerCase()),
  wildcard: onText((operand, value) =>
    new RegExp(`^${operand.split('*').map(escapeRegExp).join('.*')}$`, 's').test(value),
  ),
  numeric: (operand, value) => {
    const parts = asList(operand, 'numeric')
    for (let index = 0; index < parts.length; index += 2) {
      const compare = comparisons[String(parts[index])]
      const limit = parts[index + 1]
      if (compare === undefined || typeof limit !== 'number') {
        throw new Error(`A pattern has a wrong numeric operator: ${JSON.stringify(operand)}`)
      }
      if (typeof value !== 'number' || !compare(value, limit)) return false
    }
    return true
  },
}

const comparisons: Record<string, (value: number, limit: number) => boolean> = {
  '=': (value, limit) => value === limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
}

/** An array in the event matches when one of its elements does. */
function valuesOf(actual: Json | undefined): Json[] {
  if (actual === undefined) return []
  return Array.isArray(actual) ? actual : [actual]
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function asList(value: Json, where: string): Json[] {
  if (Array.isArray(value)) return value
  throw new Error(`A pattern needs a list at ${where}.`)
}

function asPattern(value: Json, where: string): JsonObject {
  if (isObject(value)) return value
  throw new Error(`A pattern needs a list or an object at ${where}.`)
}
