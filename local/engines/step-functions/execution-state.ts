import { type Json, type JsonObject, parseJson } from '../../host/template/json.ts'
import { contextOf } from './context-object.ts'
import type { Flow, Machine, MapState, State } from './definition/machine.ts'
import { readMachine } from './definition/read-machine.ts'
import type { FailureText } from './errors.ts'
import { type Branch, type ExecutionRecord, type ExecutionStatus, isActive } from './execution.ts'
import { executionEnded, executionSucceeded, type HistoryEvent } from './history.ts'
import type { Scope } from './interpret/scope.ts'
import type { Invoke } from './invoke.ts'
import { maxHistoryEvents } from './limits.ts'
import type { Store } from './store.ts'

/** What an execution needs of the engine around it. */
export interface Surroundings {
  readonly store: Store
  readonly invoke: Invoke
  now(): number
  /** From 0 up to, but without, 1. */
  random(): number
  /** Told of each change of a branch, `undefined` for the end of all of them. */
  onChanged(state: ExecutionState, branch: Branch | undefined): void
  report(line: string): void
}

/** How an execution ended, beside its status. */
export interface Ending {
  /** JSON text */
  readonly output?: string
  readonly failure?: FailureText
}

/** An open execution with its branches, in memory and on disk. */
export class ExecutionState {
  readonly record: ExecutionRecord
  readonly machine: Machine
  readonly branches = new Map<number, Branch>()
  readonly around: Surroundings
  readonly #input: Json

  constructor(record: ExecutionRecord, around: Surroundings) {
    this.record = record
    this.machine = readMachine(record.definition)
    this.around = around
    this.#input = parseJson(record.input)
  }

  isOpen(): boolean {
    return this.record.status === 'RUNNING'
  }

  /** Whether a function is called or a state is worked on. */
  isActive(): boolean {
    return [...this.branches.values()].some(isActive)
  }

  /** When the whole execution runs out of time, in ms since the epoch. */
  deadline(): number | undefined {
    const { timeoutSeconds } = this.machine
    return timeoutSeconds === undefined ? undefined : this.record.startedAt + timeoutSeconds * 1000
  }

  addBranch(index: number, fields: Pick<Branch, 'state' | 'input' | 'phase'> & { variables?: JsonObject }): Branch {
    const lastEvent = this.branches.get(0)?.lastEvent ?? 0
    const branch = { variables: {}, ...fields, index, enteredAt: this.around.now(), used: [], lastEvent }
    this.branches.set(index, branch)
    return branch
  }

  /** Leaves only the machine's own branch. */
  dropIterations(): void {
    for (const index of this.branches.keys()) if (index > 0) this.branches.delete(index)
    this.around.store.dropBranches(this.record.id, 1)
  }

  iterations(): Branch[] {
    return [...this.branches.values()].filter(({ index }) => index > 0)
  }

  main(): Branch {
    const main = this.branches.get(0)
    if (main === undefined) throw new Error(`${this.record.arn} is over.`)
    return main
  }

  /** The Map that the machine's own branch is in. */
  mapState(): MapState {
    const state = this.machine.states.get(this.main().state)
    if (state?.Type === 'Map') return state
    throw new Error(`${this.record.arn} has an iteration without a Map.`)
  }

  flowOf({ index }: Branch): Flow {
    return index === 0 ? this.machine : this.mapState().processor
  }

  stateOf(branch: Branch): State {
    const state = this.flowOf(branch).states.get(branch.state)
    if (state === undefined) throw new Error(`${this.record.arn} has no state ${branch.state}.`)
    return state
  }

  scopeOf(branch: Branch): Scope {
    const main = this.main()
    const value = main.phase.kind === 'map' ? main.phase.items[branch.index - 1] : undefined
    const item = value === undefined ? undefined : { index: branch.index - 1, value }
    const context = contextOf(this.record, { branch, input: this.#input, item })
    return { input: branch.input, context, variables: main.variables }
  }

  /** Whether the history takes this many events and still has a place for how the execution ends. */
  hasRoomFor(events: number): boolean {
    return this.record.events + events < maxHistoryEvents
  }

  note(branch: Branch, ...events: readonly HistoryEvent[]): void {
    const { record, around } = this
    for (const { type, details } of events) {
      record.events++
      const body = { timestamp: around.now() / 1000, type, previousEventId: branch.lastEvent, ...details }
      around.store.putEvent(record.id, record.events, body)
      branch.lastEvent = record.events
    }
  }

  save(branch: Branch): void {
    this.around.store.putBranch(this.record.id, branch)
    this.around.store.update(this.record)
    this.around.onChanged(this, branch)
  }

  /** Ends the execution; calls under way are not waited for. */
  end(status: Exclude<ExecutionStatus, 'RUNNING'>, ending: Ending): void {
    const { record, around } = this
    this.note(this.main(), lastEvent(status, ending))
    record.status = status
    record.output = ending.output
    record.failure = ending.failure
    record.stoppedAt = around.now()
    this.branches.clear()
    around.store.dropBranches(record.id, 0)
    around.store.update(record)
    around.onChanged(this, undefined)
  }
}

function lastEvent(
  status: Exclude<ExecutionStatus, 'RUNNING'>,
  { output = 'null', failure = {} }: Ending,
): HistoryEvent {
  switch (status) {
    case 'SUCCEEDED':
      return executionSucceeded(output)
    case 'FAILED':
      return executionEnded('Failed', failure)
    case 'TIMED_OUT':
      return executionEnded('TimedOut', failure)
    case 'ABORTED':
      return executionEnded('Aborted', failure)
  }
}
