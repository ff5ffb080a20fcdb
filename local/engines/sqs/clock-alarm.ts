import type { Clock } from '../../host/clock/clock.ts'

// Node fires a longer timer at once.
const longestTimerMs = 2 ** 31 - 1

/** One alarm on the shared clock: any distance into the future, armed anew after each leap. */
export class ClockAlarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #at: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
    clock.onLeap(() => this.#arm())
  }

  /** @param at ms since the epoch; `undefined` silences the alarm */
  set(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#at === undefined) return
    const waitMs = Math.min(Math.max(0, this.#at - this.#clock.now()), longestTimerMs)
    // An armed alarm alone is no reason for a process to stay.
    this.#timer = setTimeout(() => this.#check(), waitMs).unref()
  }

  #check(): void {
    if (this.#at === undefined) return
    // A timer may come a millisecond early, or be the first leg of a long wait.
    if (this.#clock.now() < this.#at) {
      this.#arm()
      return
    }
    this.#at = undefined
    this.#ring()
  }
}
