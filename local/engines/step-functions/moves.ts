import type { Json, JsonObject } from '../../host/template/json.ts'
import type { Failure } from './errors.ts'
import type { Branch, Phase } from './execution.ts'
import type { ExecutionState } from './execution-state.ts'
import type { HistoryEvent } from './history.ts'

/** How the branches of one execution are moved. */
export interface Moves {
  readonly state: ExecutionState
  /** Takes a branch into a phase, notes what led there, and goes on. */
  move(branch: Branch, phase: Phase, ...led: readonly HistoryEvent[]): void
  /** Notes what happens within a phase. @returns false when the history is full, which ends the execution */
  note(branch: Branch, ...happened: readonly HistoryEvent[]): boolean
  enter(branch: Branch, name: string, input: Json): void
  /** Leaves a state; without a next one its flow is at its end. */
  leave(branch: Branch, left: { output: Json; next: string | undefined; variables?: JsonObject }): void
  /** The state fails by itself, not by its task: its Retry and Catch decide. */
  fail(branch: Branch, failure: Failure): void
  /** Runs something for the present phase of a branch; what comes after the phase's end is dropped. */
  inPhase<T>(branch: Branch, step: Step<T>): void
}

/** Something that takes time, and what its end means. */
export interface Step<T> {
  work(): Promise<T>
  use(value: T): void
  /** By default the state fails. */
  lose?(failure: Failure): void
}
