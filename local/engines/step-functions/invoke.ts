import type { Json } from '../../host/template/json.ts'
import type { Failure } from './errors.ts'
import type { Call } from './interpret/enter-state.ts'

/** How a task ended: with a value, or with an error as Step Functions names it. */
export type TaskAnswer = { readonly ok: true; readonly value: Json } | ({ readonly ok: false } & Failure)

/**
 * Calls a function and waits for its answer.
 * An error of the function has its own name and the whole error as JSON for a cause; one of the service begins with "Lambda.".
 */
export type Invoke = (call: Call) => Promise<TaskAnswer>
