import { randomUUID } from 'node:crypto'
import type { Clock } from '../../host/clock/clock.ts'
import type { Json } from '../../host/template/json.ts'
import { ClockAlarm } from '../sqs/clock-alarm.ts'
import { DueHeap } from '../sqs/due-heap.ts'
import { executionArn } from './arns.ts'
import type { FailureText } from './errors.ts'
import { type Branch, dueAtOf, type ExecutionRecord } from './execution.ts'
import { ExecutionState, type Surroundings } from './execution-state.ts'
import type { Invoke, TaskAnswer } from './invoke.ts'
import { keptAfterCloseMs } from './limits.ts'
import { LiveExecution } from './live-execution.ts'
import type { MachineRecord, Store } from './store.ts'
import { readToken } from './task-token.ts'

/** Something due: a branch of an execution, or without one the whole execution. */
interface DueItem {
  readonly live: LiveExecution
  readonly branch: Branch | undefined
}

/** What became of a token. */
export type TokenOutcome = 'settled' | 'over' | 'no execution' | 'no token'

/** All open executions, and what is due for them. */
export class Runner {
  readonly #store: Store
  readonly #clock: Clock
  readonly #around: Surroundings
  readonly #alarm: ClockAlarm
  readonly #live = new Map<number, LiveExecution>()
  readonly #due = new DueHeap<DueItem>((item, at) => this.#isLive(item, at))
  #isClosed = false

  constructor(options: {
    store: Store
    clock: Clock
    invoke: Invoke
    random: () => number
    report: (line: string) => void
  }) {
    const { store, clock, report } = options
    this.#store = store
    this.#clock = clock
    this.#alarm = new ClockAlarm(clock, () => this.advance())
    this.#around = {
      store,
      invoke: options.invoke,
      now: () => clock.now(),
      random: options.random,
      onChanged: (state, branch) => this.#follow(state, branch),
      report,
    }
    store.forgetClosedBy(clock.now() - keptAfterCloseMs)
    for (const { record, branches } of store.loadOpen()) this.#open(record, (live) => live.resume(branches))
  }

  /** Starts an execution under a name that is free. */
  start(machine: MachineRecord, options: { name: string | undefined; text: string; input: Json }): ExecutionRecord {
    const { name = randomUUID(), text, input } = options
    const place = { arn: executionArn(machine.name, name), machine: machine.name, name }
    const { definition } = machine
    const record = this.#store.insert({ ...place, definition, input: text, startedAt: this.#clock.now() })
    this.#open(record, (live) => live.begin(input))
    return record
  }

  /** An execution as it stands, `undefined` when there is none or it was closed too long ago. */
  find(arn: string): ExecutionRecord | undefined {
    const record = this.#store.find(arn)
    const isForgotten = record?.stoppedAt !== undefined && record.stoppedAt <= this.keptSince()
    return isForgotten ? undefined : record
  }

  /** Executions that were closed until this instant are not told any more. */
  keptSince(): number {
    return this.#clock.now() - keptAfterCloseMs
  }

  /** Ends an open execution as ABORTED. @returns when it ended, also if it had ended before */
  stop({ id, stoppedAt }: ExecutionRecord, failure: FailureText): number {
    const live = this.#live.get(id)
    if (live === undefined) return stoppedAt ?? this.#clock.now()
    live.state.end('ABORTED', { failure })
    return this.#clock.now()
  }

  settle(token: string, answer: TaskAnswer): TokenOutcome {
    const place = readToken(token)
    if (place === undefined) return 'no token'
    // A wait that is over by the clock is over, though its alarm may not have rung.
    this.advance()
    const live = this.#live.get(place.executionId)
    const branch = live?.waiting(place.branch, token)
    if (live === undefined || branch === undefined) {
      return this.#store.findById(place.executionId) === undefined ? 'no execution' : 'over'
    }
    live.settle(branch, answer)
    return 'settled'
  }

  nextDueAt(): number | undefined {
    return this.#due.nextAt()
  }

  /** Whether a function is called or a state is worked on. */
  isRunning(): boolean {
    return [...this.#live.values()].some(({ state }) => state.isActive())
  }

  /** Does all that is due. */
  advance(): void {
    if (this.#isClosed) return
    const now = this.#clock.now()
    for (;;) {
      const item = this.#due.popDue(now)
      if (item === undefined) break
      if (item.branch !== undefined) item.live.ring(item.branch)
      else item.live.state.end('TIMED_OUT', { failure: { error: 'States.Timeout' } })
    }
    this.#alarm.set(this.#due.nextAt())
  }

  /** Leaves everything as it is on disk; what comes later is dropped. */
  close(): void {
    this.#isClosed = true
    this.#alarm.set(undefined)
    for (const { state } of this.#live.values()) state.branches.clear()
    this.#live.clear()
  }

  #open(record: ExecutionRecord, begin: (live: LiveExecution) => void): void {
    const live = new LiveExecution(new ExecutionState(record, this.#around))
    this.#live.set(record.id, live)
    const deadline = live.state.deadline()
    if (deadline !== undefined) this.#due.push(deadline, { live, branch: undefined })
    begin(live)
    this.#alarm.set(this.#due.nextAt())
  }

  #follow(state: ExecutionState, branch: Branch | undefined): void {
    const live = this.#live.get(state.record.id)
    if (live === undefined) return
    const dueAt = branch && dueAtOf(branch)
    if (dueAt !== undefined) this.#due.push(dueAt, { live, branch })
    if (branch === undefined) this.#live.delete(state.record.id)
    this.#alarm.set(this.#due.nextAt())
  }

  #isLive({ live, branch }: DueItem, at: number): boolean {
    const { state } = live
    if (this.#live.get(state.record.id) !== live) return false
    if (branch === undefined) return state.deadline() === at
    return state.branches.get(branch.index) === branch && dueAtOf(branch) === at
  }
}
