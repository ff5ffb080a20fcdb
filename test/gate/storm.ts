import type { GateConfig } from '../../modules/core/gate/config.ts'
import type { TakeAnswer } from '../../modules/core/gate/gate.ts'
import { wakeAtMs } from '../../modules/core/gate/gate.ts'
import type { CallReport } from '../../modules/core/gate/report.ts'
import { LaneGate } from '../../modules/gate/lane-gate.ts'
import { LaneModel } from './lane-model.ts'

export interface StormTask {
  readonly live: boolean
  readonly atMs: number
  /** Worker runs that this task cost: the first, and one per wake-up. */
  runs: number
  calledAtMs?: number
}

type Answer = Pick<CallReport, 'kind' | 'latencyMs' | 'httpStatus' | 'retryAfterMs'>

export interface Storm {
  readonly config: GateConfig
  readonly workers: number
  /** What the other side answers to a call at a moment. */
  readonly answer: (nowMs: number) => Answer
  /** In [0, 1), seeded. */
  readonly random: () => number
  /** The queue delivers nothing meanwhile, and everything at its end. */
  readonly standstill?: { readonly fromMs: number; readonly toMs: number }
}

/** Many workers and one lane in simulated time: real decisions and real workers' memory over a model of the row. */
export class StormLane {
  readonly lane = new LaneModel()
  readonly calls: number[] = []
  readonly changes: string[] = []
  readonly #storm: Storm
  readonly #workers: LaneGate[]
  readonly #events: { atMs: number; run: (nowMs: number) => Promise<void> }[] = []

  constructor(storm: Storm) {
    this.#storm = storm
    this.#workers = Array.from({ length: storm.workers }, () => new LaneGate(this.lane, 'lane', storm.config))
  }

  /** Runs all tasks until each has made its call. */
  async drain(tasks: readonly StormTask[]): Promise<void> {
    for (const task of tasks) this.#at(task.atMs, (nowMs) => this.#wake(task, nowMs, undefined))
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) await next.run(next.atMs)
  }

  async #wake(task: StormTask, nowMs: number, held: TakeAnswer | undefined): Promise<void> {
    task.runs += 1
    const worker = this.#workers[Math.floor(this.#storm.random() * this.#workers.length)]
    if (worker === undefined) throw new Error('A storm needs workers.')
    const slot = held?.kind === 'park' ? { slotMs: Math.floor(held.slotMs), epoch: held.epoch } : undefined
    const answer = await worker.take(task.live, nowMs, slot)
    if (answer.kind === 'go')
      return this.#at(nowMs + answer.afterMs, (callMs) => this.#call(task, worker, callMs, answer.epoch))
    const wakeMs = wakeAtMs(answer.slotMs, nowMs, this.#storm.random())
    this.#at(this.#deliveredMs(wakeMs, nowMs), (laterMs) => this.#wake(task, laterMs, answer))
  }

  async #call(task: StormTask, worker: LaneGate, nowMs: number, epoch: number): Promise<void> {
    this.calls.push(nowMs)
    task.calledAtMs ??= nowMs
    const answer = this.#storm.answer(nowMs)
    this.#at(nowMs + answer.latencyMs, async (laterMs) => {
      const change = await worker.report({ ...answer, epoch }, laterMs)
      if (change !== undefined) this.changes.push(change)
    })
  }

  /** Stream and queue take 0.1 to 0.6 s; a delay is rounded up to seconds; a schedule fires within its minute. */
  #deliveredMs(wakeMs: number, nowMs: number): number {
    const lagMs = 100 + this.#storm.random() * 500
    const delayMs = Math.ceil((wakeMs - nowMs) / 1000) * 1000
    const atMs = nowMs + lagMs + (delayMs <= 60_000 ? delayMs : delayMs + this.#storm.random() * 59_000)
    const { fromMs, toMs } = this.#storm.standstill ?? { fromMs: 0, toMs: 0 }
    return atMs >= fromMs && atMs < toMs ? toMs : atMs
  }

  #at(atMs: number, run: (nowMs: number) => Promise<void>): void {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.atMs ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, { atMs, run })
  }
}

/** The most calls in any window of `windowMs`. */
export function mostWithin(calls: readonly number[], windowMs: number): number {
  const sorted = calls.toSorted((a, b) => a - b)
  let most = 0
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= windowMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** A small seeded generator (mulberry32), so that a storm can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
