import type { Outcome, OutcomeKind } from '../outcome.ts'
import type { GateConfig } from './config.ts'
import { PROBE_GRACE_MS } from './gate.ts'
import { slowedMs } from './rate.ts'
import { changeInEpoch, type GateRow, type GateState, type GateWrite } from './row.ts'

/** What came of one call that the gate let go. */
export interface CallReport {
  /** Of the take that let it go. */
  readonly epoch: number
  readonly kind: OutcomeKind
  readonly suspect?: Outcome['suspect']
  /** Whose call it was, an order or a payAttempt: refusals of one and the same say nothing about the others. */
  readonly subject?: string
  readonly latencyMs: number
  readonly httpStatus?: number
  readonly retryAfterMs?: number
}

/**
 * What an answer says about the other side: `slow`, `failed` and `doubted` need company, `throttled` and `misconfigured` are plain
 * words. `doubted` is our own request's doing, perhaps: the other side answered, but did nothing for us.
 */
export type Sign = 'good' | 'slow' | 'failed' | 'throttled' | 'doubted' | 'misconfigured'

/** A change of the lane that somebody should hear of. Exactly one of all who report it is told. */
export type GateChange = 'SLOWED' | 'STOPPED' | 'PAUSED' | 'PASSING'

export interface ChangePlan {
  readonly change: GateChange
  readonly write: GateWrite
}

/** So many slow or failed answers one after the other, in one worker, slow the lane down; a single one is chance. */
const STRIKES = 2
/** So many subjects whose requests were refused, with no other answer between them, in one worker: it is not theirs, it is ours. */
const DOUBTS = 3
/** Limits count by the second: without a rest, the calls behind a decrease are refused for those before it. */
const REST_MS = 1_000
/** A longer wish than this is not honoured: the next answer says it again. */
const MAX_RETRY_AFTER_MS = 60_000

/** A refusal is an answer: only silence, 5xx and 429 speak against the other side. */
export function signOf({ kind, suspect, httpStatus, latencyMs }: CallReport, config: GateConfig): Sign {
  if (kind === 'misconfigured') return suspect === 'request' ? 'doubted' : 'misconfigured'
  if (httpStatus === 429) return 'throttled'
  if (kind === 'transient' || kind === 'unknown') return 'failed'
  return latencyMs >= config.slowMs ? 'slow' : 'good'
}

/** Bad answers in a row, all of one epoch, as one worker heard them. */
export interface Streaks {
  readonly epoch: number
  /** Slow or failed ones. */
  readonly strikes: number
  /** The subjects of doubted ones. What failed between them told nothing of our requests; any other answer did. */
  readonly doubted: ReadonlySet<string>
}

export const noStreaks: Streaks = { epoch: 0, strikes: 0, doubted: new Set() }

/** The streaks with one more answer in them. */
export function countStreaks(before: Streaks, report: CallReport, config: GateConfig): Streaks {
  const { epoch } = report
  const { strikes, doubted } = before.epoch === epoch ? before : noStreaks
  switch (signOf(report, config)) {
    case 'good':
      return { ...noStreaks, epoch }
    case 'slow':
      return { epoch, strikes: strikes + 1, doubted: new Set() }
    case 'failed':
    case 'throttled':
    case 'misconfigured':
      return { epoch, strikes: strikes + 1, doubted }
    case 'doubted':
      return { epoch, strikes: 0, doubted: new Set([...doubted, report.subject ?? '']) }
  }
}

/**
 * What an answer changes, or `undefined`. Only answers of the present epoch change anything: of all calls that were under way
 * when a lane slowed down, not one slows it down again.
 * @param row with the answer counted
 * @param streaks this answer included
 */
export function planChange(
  row: GateRow,
  report: CallReport,
  { strikes, doubted }: Pick<Streaks, 'strikes' | 'doubted'>,
  { nowMs, config }: { readonly nowMs: number; readonly config: GateConfig },
): ChangePlan | undefined {
  if (report.epoch !== row.epoch) return undefined
  const sign = signOf(report, config)
  if (sign === 'misconfigured')
    return { change: 'PAUSED', write: pauseGate(row, nowMs + config.pauseMs, 'MISCONFIGURED') }
  // Alone it neither opens nor closes: a probe that ended so leaves the word to the next.
  if (sign === 'doubted') {
    if (doubted.size < DOUBTS) return undefined
    return { change: 'PAUSED', write: pauseGate(row, nowMs + config.pauseMs, 'WRONG_REQUESTS') }
  }
  const isBad = sign === 'failed' || sign === 'throttled'
  // What goes in the epoch of an opening is a probe: the first answer decides.
  if (row.state !== 'PASSING') return isBad ? stopGateAgain(row, nowMs, config) : letPass(row, nowMs)
  if (isBad && row.calls >= config.minCalls && row.failures >= config.failureShare * row.calls) {
    return openBreaker(row, nowMs, config)
  }
  if (sign === 'throttled' || (sign !== 'good' && strikes >= STRIKES)) return slowDown(row, report, nowMs, config)
  return undefined
}

/** All slots are void and given anew at the lower rate, after a rest: as long as the other side says, within bounds. */
function slowDown(row: GateRow, { retryAfterMs = 0 }: CallReport, nowMs: number, config: GateConfig): ChangePlan {
  const fromMs = nowMs + Math.min(Math.max(REST_MS, retryAfterMs), MAX_RETRY_AFTER_MS)
  const set = { intervalMs: slowedMs(row, config), tat: fromMs, liveTat: fromMs }
  return { change: 'SLOWED', write: changeInEpoch(row, { set, newEpoch: true }) }
}

/** Behind the opening the lane begins anew: what a dead channel did to its rate says nothing about a living one. */
function openBreaker(row: GateRow, nowMs: number, config: GateConfig): ChangePlan {
  const set = { ...stopped('STOPPED', nowMs + config.openMs), intervalMs: 1000 / config.startPerS }
  return { change: 'STOPPED', write: changeInEpoch(row, { set, newEpoch: true }) }
}

function stopGateAgain(row: GateRow, nowMs: number, config: GateConfig): ChangePlan {
  const set = stopped('STOPPED', nowMs + config.openMs)
  return { change: 'STOPPED', write: changeInEpoch(row, { set, newEpoch: true }) }
}

/** Slots that were given behind the opening hold: the epoch stays. */
function letPass(row: GateRow, nowMs: number): ChangePlan {
  return { change: 'PASSING', write: changeInEpoch(row, { set: running(nowMs), when: [stateIs(row)] }) }
}

/** Stops a lane until a moment; from then on probes decide. `reason` is for people. */
export function pauseGate(row: GateRow, untilMs: number, reason: string): GateWrite {
  return changeInEpoch(row, { set: { ...stopped('PAUSED', untilMs), reason }, newEpoch: true })
}

/** Lets a lane go at once, without probes: a person knows better. */
export function resumeGate(row: GateRow, nowMs: number): GateWrite {
  return changeInEpoch(row, { set: { ...running(nowMs), tat: nowMs, liveTat: nowMs }, newEpoch: true })
}

const stateIs = (row: GateRow) => ({ field: 'state', is: '=', value: row.state }) as const

function stopped(state: Exclude<GateState, 'PASSING'>, untilMs: number) {
  const firstSlotMs = untilMs + PROBE_GRACE_MS
  return { state, openUntil: untilMs, probes: 0, tat: firstSlotMs, liveTat: firstSlotMs, reason: '' }
}

function running(nowMs: number) {
  return { state: 'PASSING', openUntil: 0, probes: 0, windowAt: nowMs, calls: 0, failures: 0, reason: '' } as const
}
