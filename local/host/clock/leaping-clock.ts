import type { Clock } from './clock.ts'

/** A clock that can be moved forward, on this thread and in every worker that was given its offset. */
export interface LeapingClock extends Clock {
  /** Milliseconds ahead of real time, as one 64-bit integer; workers read it on each use of `Date`. */
  readonly offset: SharedArrayBuffer
  /** Milliseconds ahead of real time. */
  offsetMs(): number
  /** Moves to an instant in ms since the epoch and tells all listeners; an instant in the past changes nothing. */
  leapTo(instantMs: number): void
}

/**
 * Opens a clock.
 * @param options.offsetMs how far ahead of real time it starts: what was saved before the last stop
 * @param options.saveOffset called before each leap takes effect, so that a restart never goes back in time
 */
export function openLeapingClock(options: { offsetMs: number; saveOffset: (offsetMs: number) => void }): LeapingClock {
  const offset = new SharedArrayBuffer(8)
  const cell = new BigInt64Array(offset)
  Atomics.store(cell, 0, BigInt(options.offsetMs))
  const listeners: (() => void)[] = []
  const offsetMs = () => Number(Atomics.load(cell, 0))

  return {
    offset,
    offsetMs,
    now: () => Date.now() + offsetMs(),
    onLeap: (listener) => {
      listeners.push(listener)
    },
    leapTo: (instantMs) => {
      const ahead = Math.ceil(instantMs) - Date.now()
      if (ahead <= offsetMs()) return
      options.saveOffset(ahead)
      Atomics.store(cell, 0, BigInt(ahead))
      for (const listener of listeners) listener()
    },
  }
}
