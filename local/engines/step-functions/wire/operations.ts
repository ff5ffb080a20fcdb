import { type Operation, operation } from '../../wire/aws-json.ts'
import type { WireContext } from './context.ts'
import { describeExecution, listExecutions, startExecution, stopExecution } from './execution-operations.ts'
import { getExecutionHistory } from './history-operation.ts'
import { describeStateMachine, listStateMachines } from './machine-operations.ts'
import { schemas } from './schemas.ts'
import { sendTaskFailure, sendTaskSuccess } from './task-operations.ts'

/** The operations of the API that this machine serves; what they changed is on disk before they answer. */
export function makeOperations(context: WireContext): Record<string, Operation> {
  const settled = async (answer: object): Promise<object> => {
    await context.store.commit.settled()
    return answer
  }
  return {
    StartExecution: operation(schemas.startExecution, (input) => settled(startExecution(context, input))),
    DescribeExecution: operation(schemas.describeExecution, (input) => settled(describeExecution(context, input))),
    StopExecution: operation(schemas.stopExecution, (input) => settled(stopExecution(context, input))),
    ListExecutions: operation(schemas.listExecutions, (input) => settled(listExecutions(context, input))),
    GetExecutionHistory: operation(schemas.getExecutionHistory, (input) =>
      settled(getExecutionHistory(context, input)),
    ),
    SendTaskSuccess: operation(schemas.sendTaskSuccess, (input) => settled(sendTaskSuccess(context, input))),
    SendTaskFailure: operation(schemas.sendTaskFailure, (input) => settled(sendTaskFailure(context, input))),
    DescribeStateMachine: operation(schemas.describeStateMachine, (input) => describeStateMachine(context, input)),
    ListStateMachines: operation(schemas.listStateMachines, () => listStateMachines(context)),
  }
}
