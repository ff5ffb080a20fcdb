import type { GateConfig } from './config.ts'
import { type Bucket, raisedMs, stepMs } from './rate.ts'
import { changeInEpoch, type GateClause, type GateRow, type GateWrite } from './row.ts'

/** A slot this near is waited for in the worker; a later one parks the task. Source: docs/design/keys-and-rows.md, Gate table */
export const WAIT_MS = 2_000
/** A probe is the lane's own call and may come this late. */
const PROBE_LATE_MS = 5_000
/** Between the end of an opening and the first slot behind it: the probes' answers decide first. */
export const PROBE_GRACE_MS = 5_000
/** Probes without an answer after this are lost; another round begins. Longer than all calls of a task. */
export const PROBE_LEASE_MS = 35_000

/** Of a slot that no row stands behind: its task always asks anew. */
export const NO_EPOCH = 0

export type ParkReason = 'RATE' | 'STOPPED' | 'PAUSED'

/** A slot that a parked task holds. `epoch` is that of the row when it was given. */
export interface SlotHeld {
  readonly slotMs: number
  readonly epoch: number
}

export type TakeAnswer =
  | { readonly kind: 'go'; readonly afterMs: number; readonly epoch: number }
  | { readonly kind: 'park'; readonly slotMs: number; readonly epoch: number; readonly reason: ParkReason }

/** A write that serves the first `served` of those who ask, and what each of them is told once it is done. */
export interface TakePlan {
  readonly write: GateWrite
  readonly served: number
  readonly answer: (after: GateRow, index: number) => TakeAnswer
}

/** Those who ask together: so many calls of one kind, and good answers heard since the last write, which ride along. */
export interface Ask {
  readonly live: boolean
  readonly count: number
  readonly goodAnswers: number
  readonly nowMs: number
}

/**
 * May a parked task use the slot it holds? Costs no write. A slot is good until the next one's turn: were it good for seconds, as
 * it once was, then a queue that stands still for so long would let all its calls go at once (ADR 0011).
 * @returns `undefined` when it must ask anew: too late, another epoch, or a gate that waits for its probes
 */
export function redeemSlot(row: GateRow, held: SlotHeld, nowMs: number, config: GateConfig): TakeAnswer | undefined {
  const isProbe = row.state !== 'PASSING' && held.slotMs === row.openUntil
  const goodForMs = isProbe ? PROBE_LATE_MS : stepMs(row, 'tat', config)
  if (held.epoch === NO_EPOCH || held.epoch !== row.epoch || nowMs > held.slotMs + goodForMs) return undefined
  const aheadMs = held.slotMs - nowMs
  if (aheadMs > WAIT_MS) return { kind: 'park', slotMs: held.slotMs, epoch: row.epoch, reason: reasonOf(row) }
  if (row.state !== 'PASSING' && !isProbe) return undefined
  return { kind: 'go', afterMs: Math.max(0, aheadMs), epoch: row.epoch }
}

/**
 * Plans the one write that gives slots to those who ask.
 * @param row as last seen: the write's conditions hold what would be dangerous if it were out of date
 * Source: docs/design/keys-and-rows.md, Gate table; GCRA, ITU-T I.371
 */
export function planTake(row: GateRow, ask: Ask, config: GateConfig): TakePlan {
  if (row.state === 'PASSING') return planSlots(row, ask, ask.nowMs, config)
  const roundEndsMs = row.openUntil + PROBE_LEASE_MS
  if (ask.nowMs >= roundEndsMs) return planProbeRound(row, ask.nowMs)
  if (row.probes < config.probes) return planProbe(row, ask.nowMs, config)
  return planSlots(row, ask, Math.max(row.openUntil, ask.nowMs) + PROBE_GRACE_MS, config)
}

/** Moves a bucket by `count` steps, from `floorMs` on when it lies further back. */
function planSlots(row: GateRow, ask: Ask, floorMs: number, config: GateConfig): TakePlan {
  const bucket = chooseBucket(row, ask)
  const step = stepMs(row, bucket, config)
  const moveMs = step * ask.count
  const earliestMs = row.state === 'PASSING' ? floorMs - config.burstMs : floorMs
  // A bucket never moves back within an epoch: one seen ahead still is, and this arm cannot fail for it.
  const isAhead = row[bucket] >= earliestMs
  const news = rideAlong(row, ask, config)
  const write = changeInEpoch(row, {
    set: { ...news.set, ...(!isAhead && { [bucket]: floorMs + moveMs }) },
    add: { ...news.add, ...(isAhead && { [bucket]: moveMs }) },
    when: [
      isAhead ? { field: bucket, is: '>=', value: earliestMs } : { field: bucket, is: '<=', value: floorMs },
      ...(ask.live && bucket === 'tat' ? [isNear(row, ask.nowMs)] : []),
      ...news.when,
    ],
  })
  const answer = (after: GateRow, index: number): TakeAnswer => {
    const slotMs = after[bucket] - moveMs + index * step
    const aheadMs = slotMs - ask.nowMs
    return row.state === 'PASSING' && aheadMs <= WAIT_MS
      ? { kind: 'go', afterMs: Math.max(0, aheadMs), epoch: after.epoch }
      : { kind: 'park', slotMs, epoch: after.epoch, reason: reasonOf(row) }
  }
  return { write, served: ask.count, answer }
}

/** Live traffic takes the nearer slot, the shared one when equal; the backlog has the shared ones alone. */
function chooseBucket(row: GateRow, { live, nowMs }: Ask): Bucket {
  return live && Math.max(row.tat, nowMs) > Math.max(row.liveTat, nowMs) ? 'liveTat' : 'tat'
}

/** Live traffic leaves the shared bucket when a backlog has filled it since it was seen. */
function isNear(row: GateRow, nowMs: number): GateClause {
  return { field: 'tat', is: '<=', value: Math.max(nowMs + WAIT_MS, row.liveTat) }
}

/** Good answers raise the rate and fill the breaker's window in a write that is made anyway. */
function rideAlong(row: GateRow, { goodAnswers, nowMs }: Ask, config: GateConfig): GateWrite {
  if (goodAnswers === 0 || row.state !== 'PASSING') return { set: {}, add: {}, when: [] }
  const counts = countAnswers(row, { calls: goodAnswers, failures: 0 }, nowMs, config)
  const intervalMs = raisedMs(row, goodAnswers, nowMs, config)
  return { ...counts, set: { ...counts.set, ...(intervalMs !== row.intervalMs && { intervalMs }) } }
}

/** Writes good answers down for themselves, when no take comes to carry them. */
export function planFlush(row: GateRow, goodAnswers: number, nowMs: number, config: GateConfig): GateWrite {
  return changeInEpoch(row, rideAlong(row, { live: false, count: 0, goodAnswers, nowMs }, config))
}

/** Adds answers to the breaker's window, or begins the next one with them. Holds in any epoch of a row that exists. */
export function countAnswers(
  row: GateRow,
  { calls, failures }: { readonly calls: number; readonly failures: number },
  nowMs: number,
  config: GateConfig,
): GateWrite {
  const exists = { field: 'epoch', is: '>=', value: 1 } as const
  if (nowMs < row.windowAt + config.windowMs) return { set: {}, add: { calls, failures }, when: [exists] }
  const isSameWindow = { field: 'windowAt', is: '=', value: row.windowAt } as const
  return { set: { windowAt: nowMs, calls, failures }, add: {}, when: [exists, isSameWindow] }
}

/** While the lane is closed, a probe is a reservation for the end of the opening; after it, a call now. */
function planProbe(row: GateRow, nowMs: number, config: GateConfig): TakePlan {
  const write = changeInEpoch(row, {
    add: { probes: 1 },
    when: [
      { field: 'openUntil', is: '=', value: row.openUntil },
      { field: 'probes', is: '<', value: config.probes },
      { field: 'state', is: '=', value: row.state },
    ],
  })
  const isProbing = nowMs >= row.openUntil
  const answer = (): TakeAnswer =>
    isProbing
      ? { kind: 'go', afterMs: 0, epoch: row.epoch }
      : { kind: 'park', slotMs: row.openUntil, epoch: row.epoch, reason: reasonOf(row) }
  return { write, served: 1, answer }
}

/** The probes of the last round were lost, or nobody came: this call is the first of another round. */
function planProbeRound(row: GateRow, nowMs: number): TakePlan {
  const write = changeInEpoch(row, {
    set: { openUntil: nowMs, probes: 1 },
    when: [
      { field: 'openUntil', is: '=', value: row.openUntil },
      { field: 'state', is: '=', value: row.state },
    ],
  })
  return { write, served: 1, answer: () => ({ kind: 'go', afterMs: 0, epoch: row.epoch }) }
}

function reasonOf({ state }: GateRow): ParkReason {
  switch (state) {
    case 'PASSING':
      return 'RATE'
    case 'STOPPED':
      return 'STOPPED'
    case 'PAUSED':
      return 'PAUSED'
  }
}

/** What an SQS delay carries to the second; further, a schedule fires up to a minute late. Source: docs/design/task-times.md, Sending */
const EXACT_WAKE_MS = 60_000
/** Triggers are rounded up to a whole second and take a moment: a task is woken this early and waits for its slot. */
const WAKE_EARLY_MS = 1_900
const WAKE_SPREAD_MS = 200
/** A schedule's late minute, a rounded second and the way through the queue fit in, and what is left an exact delay carries. */
const DISTANT_EARLY_MS = 61_500

/** A task sleeps no longer for a gate: the end of a pause or a faster rate is heard of within this. */
export const MAX_PARK_MS = 10 * 60_000
/** Share of it by which wakes of one moment are drawn apart. */
const PARK_SPREAD = 0.1

/**
 * When a parked task shall be woken: shortly before its slot. One that is far off is woken a good minute before it and parked again
 * by the exact trigger, without a write here; one that is very far looks in every ten minutes, for its slot may be void by then.
 * @param random in [0, 1): a little spread, all of it before the slot
 */
export function wakeAtMs(slotMs: number, nowMs: number, random: number): number {
  const isExact = slotMs - WAKE_EARLY_MS + WAKE_SPREAD_MS <= nowMs + EXACT_WAKE_MS
  const earlyMs = isExact ? WAKE_EARLY_MS - random * WAKE_SPREAD_MS : DISTANT_EARLY_MS
  const furthestMs = nowMs + MAX_PARK_MS * (1 - PARK_SPREAD * random)
  return Math.max(nowMs, Math.round(Math.min(slotMs - earlyMs, furthestMs)))
}
