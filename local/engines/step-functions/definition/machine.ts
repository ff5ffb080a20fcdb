import type { ChoiceState, FailState, MapFields, SucceedState, TaskState } from './state-schemas.ts'

/** States that follow each other, from the first on. */
export interface Flow {
  readonly startAt: string
  readonly states: ReadonlyMap<string, State>
}

/** An inline Map: its flow runs once for each item. */
export type MapState = Omit<MapFields, 'ItemProcessor'> & { readonly processor: Flow }

export type State = TaskState | ChoiceState | SucceedState | FailState | MapState

/** A definition that was read: every state it names is there, and nothing in it is beyond what is run here. */
export interface Machine extends Flow {
  /** An execution that runs longer is TIMED_OUT. */
  readonly timeoutSeconds: number | undefined
}

/** Whether the task ends by its token instead of by the function's answer. */
export const waitsForToken = (state: TaskState): boolean => state.Resource.endsWith('.waitForTaskToken')
