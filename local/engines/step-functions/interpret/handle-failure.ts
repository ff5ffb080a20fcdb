import type { Json } from '../../../host/template/json.ts'
import type { MapState } from '../definition/machine.ts'
import type { Catcher, Retrier, TaskState } from '../definition/state-schemas.ts'
import type { Failure } from '../errors.ts'
import { checkPayload } from '../limits.ts'
import { evaluate } from './evaluate.ts'
import { bindingsOf, type Scope } from './scope.ts'

// No execution lives longer than a year.
const longestDelaySeconds = 31_622_400

/** What follows a failure: another try, another state, or the end of the flow. */
export type AfterFailure =
  | { readonly kind: 'retry'; readonly used: number[]; readonly delayMs: number }
  | { readonly kind: 'caught'; readonly next: string; readonly output: Json }
  | { readonly kind: 'lost'; readonly failure: Failure }

/**
 * Whether a name in ErrorEquals stands for an error.
 * Source: Step Functions guide, "Handling errors": States.ALL matches all but States.DataLimitExceeded and
 * States.Runtime; States.TaskFailed all that States.ALL matches but States.Timeout; States.Runtime always ends the execution.
 */
export function matches(named: string, error: string): boolean {
  if (error === 'States.Runtime') return false
  const isTerminal = error === 'States.DataLimitExceeded'
  if (named === 'States.ALL') return !isTerminal
  if (named === 'States.TaskFailed') return !isTerminal && error !== 'States.Timeout'
  return named === error
}

const handles =
  (error: string) =>
  ({ ErrorEquals }: Retrier | Catcher): boolean =>
    ErrorEquals.some((named) => matches(named, error))

/**
 * Decides by the first retrier that names the error, and when its attempts are used up, by the first catcher.
 * @param options.used attempts made so far, by the place of the retrier
 * @param options.random from 0 up to, but without, 1; for full jitter
 * @throws StateError when a catcher's Output cannot be evaluated
 */
export async function handleFailure(options: {
  state: TaskState | MapState
  scope: Scope
  failure: Failure
  used: readonly number[]
  random: () => number
}): Promise<AfterFailure> {
  const { state, scope, failure, used } = options
  const retriers = state.Type === 'Task' ? state.Retry : []
  const index = retriers.findIndex(handles(failure.error))
  const retrier = retriers[index]
  const attempts = used[index] ?? 0
  if (retrier !== undefined && attempts < retrier.MaxAttempts) {
    const usedNow = retriers.map((_, place) => (used[place] ?? 0) + (place === index ? 1 : 0))
    return { kind: 'retry', used: usedNow, delayMs: delayMsOf(retrier, attempts, options.random) }
  }
  const catcher = state.Catch.find(handles(failure.error))
  if (catcher === undefined) return { kind: 'lost', failure }
  return { kind: 'caught', next: catcher.Next, output: await outputOf(catcher, scope, failure) }
}

/** Milliseconds before the next try. @param attempts tries of this retrier so far */
export function delayMsOf(retrier: Retrier, attempts: number, random: () => number): number {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds = longestDelaySeconds, JitterStrategy } = retrier
  const delayMs = Math.min(IntervalSeconds * BackoffRate ** attempts, MaxDelaySeconds) * 1000
  return Math.round(JitterStrategy === 'FULL' ? random() * delayMs : delayMs)
}

async function outputOf({ Output }: Catcher, scope: Scope, { error, cause }: Failure): Promise<Json> {
  const errorOutput = { Error: error, ...(cause !== undefined && { Cause: cause }) }
  const output = Output === undefined ? errorOutput : await evaluate(Output, bindingsOf(scope, { errorOutput }))
  return checkPayload('The output of the state', output)
}
