import type { Clock } from '../../../../local/host/clock/clock.ts'

/** A clock that stands until it leaps. */
export function manualClock(startMs = Date.UTC(2026, 11, 1)): Clock & { leapTo(instantMs: number): void } {
  const listeners: (() => void)[] = []
  let now = startMs
  return {
    now: () => now,
    onLeap: (listener) => void listeners.push(listener),
    leapTo: (instantMs) => {
      now = Math.max(now, instantMs)
      for (const listener of listeners) listener()
    },
  }
}
