import { setImmediate } from 'node:timers/promises'

interface Event {
  readonly atMs: number
  readonly run: () => void
}

/**
 * A clock that stands still while real work is under way and jumps to the next event when there is none. Code that awaits
 * `sleep` and real calls wrapped in `during` runs on it unchanged, thousands of them side by side, and no wait takes real time.
 */
export class VirtualTime {
  #nowMs: number
  /** By time; of one time, in the order in which they were planned. */
  readonly #events: Event[] = []
  #busy = 0
  #calm: (() => void) | undefined

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Plans something; what lies in the past happens next. */
  at(atMs: number, run: () => void): void {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.atMs ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, { atMs, run })
  }

  sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.at(this.#nowMs + ms, resolve)
    return promise
  }

  /** Holds the clock while a real call is under way. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await call()
    } finally {
      this.#busy -= 1
      if (this.#busy === 0) this.#calm?.()
    }
  }

  /** Runs until nothing is planned and nothing is under way. */
  async run(): Promise<void> {
    for (;;) {
      await this.#settle()
      const first = this.#events[0]
      if (first === undefined) return
      this.#nowMs = Math.max(this.#nowMs, first.atMs)
      const count = this.#events.findIndex(({ atMs }) => atMs > first.atMs)
      for (const { run } of this.#events.splice(0, count === -1 ? this.#events.length : count)) run()
    }
  }

  /** Until no call is under way and all that waited for one has gone on as far as it can. */
  async #settle(): Promise<void> {
    do {
      if (this.#busy > 0) await new Promise<void>((resolve) => (this.#calm = resolve))
      await setImmediate()
    } while (this.#busy > 0)
  }
}
