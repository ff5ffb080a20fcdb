import type { Json } from '../../host/template/json.ts'
import { stateRegion } from './arns.ts'
import type { State } from './definition/machine.ts'
import type { TaskState } from './definition/state-schemas.ts'
import type { Failure, FailureText } from './errors.ts'
import type { Call } from './interpret/enter-state.ts'

/** A history event before it has its number and time: its type, and details under the name that the API gives them. */
export interface HistoryEvent {
  readonly type: string
  readonly details?: { readonly [field: string]: Readonly<Record<string, unknown>> }
}

const whole = { truncated: false }
const text = (value: Json): string => JSON.stringify(value)

export const executionStarted = (input: string): HistoryEvent => ({
  type: 'ExecutionStarted',
  details: { executionStartedEventDetails: { input, inputDetails: whole, roleArn: localRoleArn } },
})
export const executionSucceeded = (output: string): HistoryEvent => ({
  type: 'ExecutionSucceeded',
  details: { executionSucceededEventDetails: { output, outputDetails: whole } },
})
export const executionEnded = (type: 'Failed' | 'Aborted' | 'TimedOut', failure: FailureText): HistoryEvent => ({
  type: `Execution${type}`,
  details: { [`execution${type}EventDetails`]: { ...failure } },
})

/** No role is assumed on this machine; the API's answers must name one. */
export const localRoleArn = 'arn:aws:iam::000000000000:role/local'

export const stateEntered = (state: State, name: string, input: Json): HistoryEvent => ({
  type: `${state.Type}StateEntered`,
  details: { stateEnteredEventDetails: { name, input: text(input), inputDetails: whole } },
})
export const stateExited = (state: State, name: string, output: Json): HistoryEvent => ({
  type: `${state.Type}StateExited`,
  details: { stateExitedEventDetails: { name, output: text(output), outputDetails: whole } },
})
export const evaluationFailed = (state: string, { error, cause }: Failure): HistoryEvent => ({
  type: 'EvaluationFailed',
  details: { evaluationFailedEventDetails: { error, cause, state } },
})

const integrationOf = ({ Resource }: TaskState) => {
  const [resourceType = '', resource = ''] = Resource.split(':::')[1]?.split(':') ?? []
  return { resourceType, resource }
}

export const taskScheduled = (state: TaskState, call: Call): HistoryEvent => ({
  type: 'TaskScheduled',
  details: {
    taskScheduledEventDetails: {
      ...integrationOf(state),
      region: stateRegion,
      parameters: text({ FunctionName: call.functionName, Payload: call.payload }),
      ...(state.TimeoutSeconds !== undefined && { timeoutInSeconds: state.TimeoutSeconds }),
    },
  },
})
export const taskStarted = (state: TaskState): HistoryEvent => ({
  type: 'TaskStarted',
  details: { taskStartedEventDetails: integrationOf(state) },
})
export const taskAnswered = (type: 'Submitted' | 'Succeeded', state: TaskState, output: Json): HistoryEvent => ({
  type: `Task${type}`,
  details: { [`task${type}EventDetails`]: { ...integrationOf(state), output: text(output), outputDetails: whole } },
})
export const taskFailed = (type: 'Failed' | 'TimedOut', state: TaskState, failure: Failure): HistoryEvent => ({
  type: `Task${type}`,
  details: { [`task${type}EventDetails`]: { ...integrationOf(state), ...failure } },
})

export const mapStarted = (length: number): HistoryEvent => ({
  type: 'MapStateStarted',
  details: { mapStateStartedEventDetails: { length } },
})
export const mapEnded = (type: 'Succeeded' | 'Failed'): HistoryEvent => ({ type: `MapState${type}` })
export const iteration = (
  type: 'Started' | 'Succeeded' | 'Failed' | 'Aborted',
  name: string,
  index: number,
): HistoryEvent => ({
  type: `MapIteration${type}`,
  details: { [`mapIteration${type}EventDetails`]: { name, index } },
})
