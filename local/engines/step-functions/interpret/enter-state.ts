import type { Json } from '../../../host/template/json.ts'
import type { MapState } from '../definition/machine.ts'
import type { ChoiceState, SucceedState, TaskState } from '../definition/state-schemas.ts'
import { StateError } from '../errors.ts'
import { checkPayload } from '../limits.ts'
import { evaluate } from './evaluate.ts'
import { bindingsOf, type Scope } from './scope.ts'

/** A call of a function, ready to be made. */
export interface Call {
  /** Name or ARN. */
  readonly functionName: string
  readonly payload: Json
}

/** The arguments of a task. @throws StateError States.QueryEvaluationError, States.Runtime, States.DataLimitExceeded */
export async function prepareCall({ Arguments }: TaskState, scope: Scope): Promise<Call> {
  const bindings = bindingsOf(scope)
  const functionName = await evaluate(Arguments.FunctionName, bindings)
  const payload = await evaluate(Arguments.Payload ?? {}, bindings)
  if (typeof functionName !== 'string') throw new StateError('States.Runtime', 'FunctionName is not a text.')
  checkPayload('The arguments of the task', payload)
  return { functionName, payload }
}

/** The state that a Choice leads to. @throws StateError States.QueryEvaluationError, States.NoChoiceMatched */
export async function choose(state: ChoiceState, scope: Scope): Promise<string> {
  for (const { Condition, Next } of state.Choices) {
    const isMet = await evaluate(Condition, bindingsOf(scope))
    if (typeof isMet !== 'boolean') {
      throw new StateError('States.QueryEvaluationError', `The condition ${Condition} is neither true nor false.`)
    }
    if (isMet) return Next
  }
  if (state.Default !== undefined) return state.Default
  throw new StateError('States.NoChoiceMatched', 'No condition is met and there is no Default.')
}

/** The items of a Map. @throws StateError States.QueryEvaluationError */
export async function listItems({ Items }: MapState, scope: Scope): Promise<Json[]> {
  const items = await evaluate(Items, bindingsOf(scope))
  if (!Array.isArray(items)) throw new StateError('States.QueryEvaluationError', 'Items is not an array.')
  return items
}

/** The input of one iteration. @throws StateError */
export async function selectItem({ ItemSelector }: MapState, item: Json, scope: Scope): Promise<Json> {
  const input = ItemSelector === undefined ? item : await evaluate(ItemSelector, bindingsOf(scope))
  return checkPayload('The input of an iteration', input)
}

/** The output of an execution that ends well here. @throws StateError */
export async function succeed({ Output }: SucceedState, scope: Scope): Promise<Json> {
  const output = Output === undefined ? scope.input : await evaluate(Output, bindingsOf(scope))
  return checkPayload('The output of the state', output)
}
