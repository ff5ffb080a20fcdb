import type { Json, JsonObject } from '../../host/template/json.ts'
import { machineArn } from './arns.ts'
import type { Branch, ExecutionRecord } from './execution.ts'
import { localRoleArn } from './history.ts'

/**
 * What `$states.context` is for a state.
 * @param place.input of the execution
 * @param place.item of an iteration of a Map
 * Source: Step Functions guide, "Accessing execution data from the Context object"
 */
export function contextOf(
  { arn, machine, name, startedAt }: ExecutionRecord,
  place: {
    readonly branch: Branch
    readonly input: Json
    readonly item: { readonly index: number; readonly value: Json } | undefined
  },
): JsonObject {
  const { branch, input, item } = place
  const { phase } = branch
  return {
    Execution: {
      Id: arn,
      Input: input,
      Name: name,
      RoleArn: localRoleArn,
      StartTime: new Date(startedAt).toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: machineArn(machine), Name: machine },
    State: {
      Name: branch.state,
      EnteredTime: new Date(branch.enteredAt).toISOString(),
      RetryCount: branch.used.reduce((sum, retries) => sum + retries, 0),
    },
    ...(phase.kind === 'attempt' && phase.token !== undefined && { Task: { Token: phase.token } }),
    ...(item !== undefined && { Map: { Item: { Index: item.index, Value: item.value } } }),
  }
}
