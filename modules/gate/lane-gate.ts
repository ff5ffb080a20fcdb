import type { GateConfig } from '../core/gate/config.ts'
import {
  type Ask,
  countAnswers,
  planFlush,
  planTake,
  redeemSlot,
  type SlotHeld,
  type TakeAnswer,
} from '../core/gate/gate.ts'
import {
  type CallReport,
  countStreaks,
  type GateChange,
  noStreaks,
  planChange,
  type Streaks,
  signOf,
} from '../core/gate/report.ts'
import { type GateRow, type GateWrite, newGateRow } from '../core/gate/row.ts'
import { GateBusyError } from './errors.ts'
import type { Written } from './gate-table.ts'

/** A view of the row older than this is read again before it is used: a read costs a fifth of a write that fails. */
const VIEW_MS = 5_000
/** The same for redeeming a slot, which no write confirms: so long may calls go on after a lane was stopped. */
const REDEEM_VIEW_MS = 1_000
/** So often a write is planned anew when others were faster. */
const MAX_TRIES = 5
/** So many good answers are written down for themselves when no take came to carry them. */
const FLUSH_ANSWERS = 50

/** The row of one lane: the table, or a model of it in the simulation. */
export interface LaneRow {
  readonly read: () => Promise<GateRow | undefined>
  readonly write: (write: GateWrite) => Promise<Written>
}

interface Asker {
  readonly live: boolean
  readonly nowMs: number
  readonly resolve: (answer: TakeAnswer) => void
  readonly reject: (error: unknown) => void
}

/**
 * One lane as one worker environment knows it: the row as last seen, and what it has not told the table yet. Both may be lost
 * or out of date at any time; the conditions of each write and the reading of old views make that harmless.
 */
export class LaneGate {
  readonly #row: LaneRow
  readonly #lane: string
  readonly #config: GateConfig
  #view: { readonly row: GateRow; readonly seenAtMs: number } | undefined
  #goodAnswers = 0
  #streaks: Streaks = noStreaks
  #askers: Asker[] = []
  #isServing = false

  constructor(row: LaneRow, lane: string, config: GateConfig) {
    this.#row = row
    this.#lane = lane
    this.#config = config
  }

  /** @throws GateBusyError, ZodError, errors of the SDK */
  async take(live: boolean, nowMs: number, held: SlotHeld | undefined): Promise<TakeAnswer> {
    if (held !== undefined) {
      const answer = redeemSlot(await this.look(nowMs, REDEEM_VIEW_MS), held, nowMs, this.#config)
      if (answer !== undefined) return answer
    }
    const { promise, resolve, reject } = Promise.withResolvers<TakeAnswer>()
    this.#askers.push({ live, nowMs, resolve, reject })
    if (!this.#isServing) void this.#serveAll()
    return promise
  }

  /**
   * @returns the change that this report, and no other, brought about
   * @throws GateBusyError, ZodError, errors of the SDK
   */
  async report(report: CallReport, nowMs: number): Promise<GateChange | undefined> {
    const sign = signOf(report, this.#config)
    this.#streaks = countStreaks(this.#streaks, report, this.#config)
    const streaks = this.#streaks
    let row: GateRow
    if (sign === 'failed' || sign === 'throttled') {
      row = await this.#countFailure(nowMs)
    } else {
      if (sign !== 'misconfigured' && sign !== 'doubted') this.#goodAnswers += 1
      row =
        this.#goodAnswers < FLUSH_ANSWERS ? await this.look(nowMs, Number.POSITIVE_INFINITY) : await this.#flush(nowMs)
    }
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const plan = planChange(row, report, streaks, { nowMs, config: this.#config })
      if (plan === undefined) return undefined
      const written = await this.#write(plan.write, nowMs)
      if (written.isDone) return plan.change
      row = written.row
    }
    throw new GateBusyError(this.#lane)
  }

  /** Makes a change that a person wants, in whatever epoch the row is. @throws as `report` */
  async change(plan: (row: GateRow) => GateWrite, nowMs: number): Promise<void> {
    let row = await this.look(nowMs, 0)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const written = await this.#write(plan(row), nowMs)
      if (written.isDone) return
      row = written.row
    }
    throw new GateBusyError(this.#lane)
  }

  /** The row, read when the last view is `maxAgeMs` old or older. */
  async look(nowMs: number, maxAgeMs: number): Promise<GateRow> {
    if (this.#view !== undefined && nowMs - this.#view.seenAtMs < maxAgeMs) return this.#view.row
    return this.#remember(await this.#row.read(), nowMs)
  }

  /** One write at a time; all of one kind who came meanwhile share the next. */
  async #serveAll(): Promise<void> {
    this.#isServing = true
    for (let first = this.#askers[0]; first !== undefined; first = this.#askers[0]) {
      const { live } = first
      const askers = this.#askers.filter((asker) => asker.live === live)
      this.#askers = this.#askers.filter((asker) => asker.live !== live)
      try {
        const served = await this.#serve(live, askers)
        this.#askers.unshift(...askers.slice(served))
      } catch (error) {
        for (const { reject } of askers) reject(error)
      }
    }
    this.#isServing = false
  }

  /** @returns how many were served, from the front */
  async #serve(live: boolean, askers: readonly Asker[]): Promise<number> {
    const nowMs = Math.max(...askers.map((asker) => asker.nowMs))
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await this.look(nowMs, VIEW_MS)
      const goodAnswers = this.#goodAnswers
      const ask: Ask = { live, count: askers.length, goodAnswers, nowMs }
      const plan = planTake(row, ask, this.#config)
      const written = await this.#write(plan.write, nowMs)
      if (!written.isDone) continue
      if (row.state === 'PASSING') this.#goodAnswers -= goodAnswers
      for (const [index, { resolve }] of askers.slice(0, plan.served).entries())
        resolve(plan.answer(written.row, index))
      return plan.served
    }
    throw new GateBusyError(this.#lane)
  }

  /** A failure is written down at once, with the good answers before it. */
  async #countFailure(nowMs: number): Promise<GateRow> {
    const goodAnswers = this.#goodAnswers
    let row = await this.look(nowMs, VIEW_MS)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const written = await this.#write(
        countAnswers(row, { calls: goodAnswers + 1, failures: 1 }, nowMs, this.#config),
        nowMs,
      )
      row = written.row
      if (written.isDone) this.#goodAnswers -= goodAnswers
      if (written.isDone || row.epoch === 0) return row
    }
    throw new GateBusyError(this.#lane)
  }

  /** A flush that is lost is tried again with the next answer. */
  async #flush(nowMs: number): Promise<GateRow> {
    const goodAnswers = this.#goodAnswers
    const row = await this.look(nowMs, VIEW_MS)
    if (row.state !== 'PASSING') return row
    const written = await this.#write(planFlush(row, goodAnswers, nowMs, this.#config), nowMs)
    if (written.isDone) this.#goodAnswers -= goodAnswers
    return written.row
  }

  async #write(write: GateWrite, nowMs: number): Promise<{ readonly isDone: boolean; readonly row: GateRow }> {
    const { kind, row } = await this.#row.write(write)
    return { isDone: kind === 'done', row: this.#remember(row, nowMs) }
  }

  #remember(row: GateRow | undefined, seenAtMs: number): GateRow {
    const known = row ?? newGateRow(this.#config, seenAtMs)
    this.#view = { row: known, seenAtMs }
    return known
  }
}
