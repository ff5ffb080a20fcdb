/** The clock that engines, hosts and simulators share, so that a leap moves all of them at once. */
export interface Clock {
  /** Milliseconds since the epoch, real time plus every leap so far. */
  now(): number
  /** Calls back after each leap; timers that were armed for real time must be armed anew. */
  onLeap(listener: () => void): void
}

/** Real time, without leaps. */
export const realClock: Clock = { now: () => Date.now(), onLeap: () => {} }
