import { setTimeout as sleep } from 'node:timers/promises'
import type { LeapingClock } from '../clock/leaping-clock.ts'
import type { Idleness } from './idleness.ts'

/** With nothing planned but rules that come for ever, leaps get slower up to this pause, so that a machine can rest. */
const MAX_PAUSE_MS = 1_000
const PAUSE_STEP_MS = 5
const NOTHING_PLANNED_PAUSE_MS = 50

/**
 * Jumps to the next due time once nothing is left to do now.
 * @returns the new time in ms since the epoch, or `undefined` when nothing is planned
 */
export async function leapToNext(clock: LeapingClock, idleness: Idleness): Promise<number | undefined> {
  await idleness.idle()
  const next = idleness.nextDueAt()
  if (next === undefined) return undefined
  clock.leapTo(next)
  return clock.now()
}

/** Goes forward by a time, stopping at every due moment on the way until its work is done; resolves when idle there. */
export async function leapBy(clock: LeapingClock, idleness: Idleness, durationMs: number): Promise<void> {
  const target = clock.now() + durationMs
  for (;;) {
    await idleness.idle()
    const next = idleness.nextDueAt()
    if (next === undefined || next > target) break
    clock.leapTo(next)
  }
  clock.leapTo(target)
  await idleness.idle()
}

/** Leaps whenever idle, until the signal. */
export async function leapOnAndOn(clock: LeapingClock, idleness: Idleness, signal: AbortSignal): Promise<void> {
  let recurringOnly = 0
  while (!signal.aborted) {
    await idleness.idle()
    if (signal.aborted) return
    recurringOnly = idleness.nextDueAt({ recurring: false }) === undefined ? recurringOnly + 1 : 0
    const next = idleness.nextDueAt()
    if (next !== undefined) clock.leapTo(next)
    const pauseMs =
      next === undefined ? NOTHING_PLANNED_PAUSE_MS : Math.min(recurringOnly * PAUSE_STEP_MS, MAX_PAUSE_MS)
    if (pauseMs > 0) await sleep(pauseMs)
  }
}
