import { isObject, type Json, type JsonObject } from '../../../host/template/json.ts'
import type { MapState } from '../definition/machine.ts'
import type { TaskState } from '../definition/state-schemas.ts'
import { StateError } from '../errors.ts'
import { checkPayload, maxVariablesBytes } from '../limits.ts'
import { evaluate } from './evaluate.ts'
import { bindingsOf, type Scope } from './scope.ts'

/** How a state is left. */
export interface Leave {
  readonly output: Json
  /** The variables from the next state on. */
  readonly variables: JsonObject
  /** `undefined` at the end of a flow. */
  readonly next: string | undefined
}

/**
 * What a task or a Map gives on after its success: Assign and Output both see the variables of before.
 * @throws StateError States.QueryEvaluationError, States.DataLimitExceeded
 */
export async function leaveState(state: TaskState | MapState, scope: Scope, result: Json): Promise<Leave> {
  const bindings = bindingsOf(scope, { result })
  const output = state.Output === undefined ? result : await evaluate(state.Output, bindings)
  checkPayload('The output of the state', output)
  const assigned = state.Type === 'Task' && state.Assign !== undefined ? await evaluate(state.Assign, bindings) : {}
  return { output, variables: withAssigned(scope.variables, isObject(assigned) ? assigned : {}), next: state.Next }
}

function withAssigned(before: JsonObject, assigned: JsonObject): JsonObject {
  checkPayload('What the state assigns', assigned)
  const after = { ...before, ...assigned }
  if (Buffer.byteLength(JSON.stringify(after)) <= maxVariablesBytes) return after
  throw new StateError('States.DataLimitExceeded', 'The variables of the execution are larger than 10 MiB.')
}
