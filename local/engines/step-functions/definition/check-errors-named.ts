import type { Catcher, Retrier } from './state-schemas.ts'

/** The names beginning with "States." that something here reports or that stand for others. */
const reserved: ReadonlySet<string> = new Set([
  'States.ALL',
  'States.TaskFailed',
  'States.Timeout',
  'States.Runtime',
  'States.DataLimitExceeded',
  'States.QueryEvaluationError',
  'States.NoChoiceMatched',
])

/**
 * Looks at the errors that a list of retriers or catchers names.
 * @returns what is wrong, `undefined` when nothing is
 * Source: https://states-language.net/spec.html#errors
 */
export function findBadErrorName(handlers: readonly (Retrier | Catcher)[]): string | undefined {
  for (const [index, { ErrorEquals: names }] of handlers.entries()) {
    const unknown = names.find((name) => name.startsWith('States.') && !reserved.has(name))
    if (unknown !== undefined) return `the error ${unknown} is never reported on this machine`
    if (!names.includes('States.ALL')) continue
    if (names.length > 1) return 'States.ALL must stand alone'
    if (index < handlers.length - 1) return 'States.ALL must stand last'
  }
  return undefined
}
