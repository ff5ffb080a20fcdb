import type { GateConfig } from './config.ts'
import type { GateRow } from './row.ts'

/** Which clock a call moves: the one of all traffic, or the reserve of live traffic. */
export type Bucket = 'tat' | 'liveTat'

/** A sign of overload takes a third of the rate: slots given before are void, and a deeper cut would send everybody far back. */
const SLOW_DOWN_FACTOR = 1.5

/**
 * Ms between two slots of a bucket. Together both buckets make the lane's rate: the shared one has what the reserve leaves.
 * Rounded to µs, so that sums stay exact in the row and in a double.
 */
export function stepMs(row: GateRow, bucket: Bucket, config: GateConfig): number {
  const share = bucket === 'liveTat' ? config.headroomShare : 1 - config.headroomShare
  return round(bounded(row.intervalMs, config) / share)
}

/**
 * Additive increase: `answers` good ones, each worth its part of a second of full use, as TCP grows by acknowledgements.
 * Only while slots are taken ahead of time: a rate that nobody used has proved nothing.
 * @returns the new interval in ms
 */
export function raisedMs(row: GateRow, answers: number, nowMs: number, config: GateConfig): number {
  if (row.tat <= nowMs) return row.intervalMs
  const perS = 1000 / bounded(row.intervalMs, config)
  return bounded(1000 / (perS + (answers * config.raisePerS) / perS), config)
}

/** Multiplicative decrease. @returns the new interval in ms */
export function slowedMs(row: GateRow, config: GateConfig): number {
  return bounded(row.intervalMs * SLOW_DOWN_FACTOR, config)
}

/** A rate from before the last deploy obeys the bounds of this one. */
function bounded(intervalMs: number, config: GateConfig): number {
  return round(Math.min(1000 / config.minPerS, Math.max(1000 / config.maxPerS, intervalMs)))
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000
