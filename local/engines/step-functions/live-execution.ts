import type { Json, JsonObject } from '../../host/template/json.ts'
import { type Failure, type FailureText, failureOf } from './errors.ts'
import type { Branch, Phase } from './execution.ts'
import type { ExecutionState } from './execution-state.ts'
import {
  evaluationFailed,
  executionStarted,
  type HistoryEvent,
  mapStarted,
  stateEntered,
  stateExited,
} from './history.ts'
import { choose, listItems, succeed } from './interpret/enter-state.ts'
import { handleFailure } from './interpret/handle-failure.ts'
import { leaveState } from './interpret/leave-state.ts'
import type { TaskAnswer } from './invoke.ts'
import { maxHistoryEvents } from './limits.ts'
import type { Moves, Step } from './moves.ts'
import { endIteration, loseIteration, runMap, selectInput } from './run-map.ts'
import { beginAttempt, callFunction, resumeAttempt, ringTask, settleTask } from './run-task.ts'

/** Moves the branches of one execution from phase to phase, each on disk before anything follows from it. */
export class LiveExecution implements Moves {
  readonly state: ExecutionState

  constructor(state: ExecutionState) {
    this.state = state
  }

  begin(input: Json): void {
    const { startAt } = this.state.machine
    const branch = this.state.addBranch(0, { state: startAt, input, phase: { kind: 'entered' } })
    this.note(branch, executionStarted(this.state.record.input))
    this.enter(branch, startAt, input)
  }

  /** Goes on from what was kept. A call that a crash cut off is made again, under the same token. */
  resume(branches: readonly Branch[]): void {
    for (const branch of branches) this.state.branches.set(branch.index, branch)
    for (const branch of branches) {
      if (this.state.branches.get(branch.index) !== branch) continue
      this.state.around.onChanged(this.state, branch)
      if (branch.phase.kind === 'attempt') resumeAttempt(this, branch)
      else this.#goOn(branch)
    }
  }

  /** The branch that waits for a token, `undefined` when none does any more. */
  waiting(index: number, token: string): Branch | undefined {
    const branch = this.state.branches.get(index)
    return branch?.phase.kind === 'attempt' && branch.phase.token === token ? branch : undefined
  }

  settle(branch: Branch, answer: TaskAnswer): void {
    settleTask(this, branch, answer)
  }

  /** Does what is due for a branch. */
  ring(branch: Branch): void {
    ringTask(this, branch)
  }

  note(branch: Branch, ...happened: readonly HistoryEvent[]): boolean {
    if (!this.#hasRoomFor(happened.length)) return false
    this.state.note(branch, ...happened)
    this.state.save(branch)
    return true
  }

  move(branch: Branch, phase: Phase, ...led: readonly HistoryEvent[]): void {
    if (!this.#hasRoomFor(led.length)) return
    this.state.note(branch, ...led)
    branch.phase = phase
    this.state.save(branch)
    this.#goOn(branch)
  }

  enter(branch: Branch, name: string, input: Json): void {
    Object.assign(branch, { state: name, input, used: [], enteredAt: this.state.around.now() })
    this.move(branch, { kind: 'entered' }, stateEntered(this.state.stateOf(branch), name, input))
  }

  leave(branch: Branch, left: { output: Json; next: string | undefined; variables?: JsonObject }): void {
    const { output, next, variables } = left
    if (!this.#hasRoomFor(1)) return
    this.state.note(branch, stateExited(this.state.stateOf(branch), branch.state, output))
    if (variables !== undefined && branch.index === 0) branch.variables = variables
    if (next !== undefined) this.enter(branch, next, output)
    else if (branch.index === 0) this.state.end('SUCCEEDED', { output: JSON.stringify(output) })
    else endIteration(this, branch, output)
  }

  fail(branch: Branch, failure: Failure): void {
    const isEvaluation = failure.error === 'States.QueryEvaluationError'
    const noted = isEvaluation ? [evaluationFailed(branch.state, failure)] : []
    this.move(branch, { kind: 'failed', failure }, ...noted)
  }

  inPhase<T>(branch: Branch, step: Step<T>): void {
    const { phase } = branch
    const ifPresent = (then: () => void) => {
      if (this.state.branches.get(branch.index) === branch && branch.phase === phase) then()
    }
    const { lose = (failure: Failure) => this.fail(branch, failure) } = step
    step
      .work()
      .then(
        (value) => ifPresent(() => step.use(value)),
        (error: unknown) => ifPresent(() => lose(failureOf(error))),
      )
      .catch((error: unknown) => this.state.around.report(`${this.state.record.arn}: ${String(error)}`))
  }

  #hasRoomFor(count: number): boolean {
    if (this.state.hasRoomFor(count)) return true
    const cause = `The execution reached the maximum number of history events (${maxHistoryEvents}).`
    this.state.end('FAILED', { failure: { error: 'States.Runtime', cause } })
    return false
  }

  #goOn(branch: Branch): void {
    const { phase } = branch
    switch (phase.kind) {
      case 'selecting':
        selectInput(this, branch)
        break
      case 'entered':
        this.#begin(branch)
        break
      case 'attempt':
        if (!phase.isSubmitted) callFunction(this, branch)
        break
      case 'map':
        runMap(this, branch, phase.items)
        break
      case 'succeeded':
        this.#finish(branch, phase.result)
        break
      case 'failed':
        this.#handle(branch, phase.failure)
        break
      case 'pause':
      case 'done':
        break
    }
  }

  #begin(branch: Branch): void {
    const state = this.state.stateOf(branch)
    const scope = this.state.scopeOf(branch)
    switch (state.Type) {
      case 'Task':
        beginAttempt(this, branch)
        break
      case 'Choice':
        this.inPhase(branch, {
          work: () => choose(state, scope),
          use: (next) => this.leave(branch, { output: branch.input, next }),
        })
        break
      case 'Succeed':
        this.inPhase(branch, {
          work: () => succeed(state, scope),
          use: (output) => this.leave(branch, { output, next: undefined }),
        })
        break
      case 'Map':
        this.inPhase(branch, {
          work: () => listItems(state, scope),
          use: (items) => this.move(branch, { kind: 'map', items }, mapStarted(items.length)),
        })
        break
      case 'Fail':
        this.#lose(branch, { error: state.Error, cause: state.Cause })
        break
    }
  }

  #finish(branch: Branch, result: Json): void {
    const state = this.state.stateOf(branch)
    if (state.Type !== 'Task' && state.Type !== 'Map') throw new Error(`${branch.state} has no result.`)
    this.inPhase(branch, {
      work: () => leaveState(state, this.state.scopeOf(branch), result),
      use: (left) => this.leave(branch, left),
    })
  }

  #handle(branch: Branch, failure: Failure): void {
    const state = this.state.stateOf(branch)
    if (state.Type !== 'Task' && state.Type !== 'Map') {
      this.#lose(branch, failure)
      return
    }
    const { used } = branch
    const { now, random } = this.state.around
    this.inPhase(branch, {
      work: () => handleFailure({ state, scope: this.state.scopeOf(branch), failure, used, random }),
      use: (after) => {
        if (after.kind === 'lost') this.#lose(branch, failure)
        else if (after.kind === 'caught') this.leave(branch, { output: after.output, next: after.next })
        else {
          branch.used = after.used
          this.move(branch, { kind: 'pause', until: now() + after.delayMs })
        }
      },
      // A catcher whose output cannot be evaluated catches nothing.
      lose: (fault) => this.#lose(branch, fault),
    })
  }

  /** Nothing in the flow handles the failure. */
  #lose(branch: Branch, failure: FailureText): void {
    if (branch.index === 0) this.state.end('FAILED', { failure })
    else loseIteration(this, branch, failure)
  }
}
