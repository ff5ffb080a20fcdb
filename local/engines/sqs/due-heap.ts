interface Entry<T> {
  readonly at: number
  readonly order: number
  readonly item: T
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

// Below this size a heap of dead entries is not worth tidying.
const compactionFloor = 1024

/**
 * A binary heap of things to do at an instant, earliest first, equal instants in the order of arrival.
 * Nothing is ever removed from the middle: an entry that no longer holds is recognised by `isLive` when it surfaces,
 * and swept out in bulk once dead entries outnumber the live ones.
 */
export class DueHeap<T> {
  readonly #isLive: (item: T, at: number) => boolean
  #entries: Entry<T>[] = []
  #arrivals = 0
  #compactAbove = compactionFloor

  constructor(isLive: (item: T, at: number) => boolean) {
    this.#isLive = isLive
  }

  /** @param at ms since the epoch */
  push(at: number, item: T): void {
    this.#entries.push({ at, order: this.#arrivals++, item })
    this.#siftUp(this.#entries.length - 1)
    if (this.#entries.length > this.#compactAbove) this.#compact()
  }

  /** The earliest live instant in ms since the epoch. */
  nextAt(): number | undefined {
    return this.#firstLive()?.at
  }

  /** Removes and returns the earliest live item that is due at `now`. */
  popDue(now: number): T | undefined {
    const first = this.#firstLive()
    if (first === undefined || first.at > now) return undefined
    this.#removeFirst()
    return first.item
  }

  #firstLive(): Entry<T> | undefined {
    for (;;) {
      const first = this.#entries[0]
      if (first === undefined || this.#isLive(first.item, first.at)) return first
      this.#removeFirst()
    }
  }

  #removeFirst(): void {
    const last = this.#entries.pop()
    if (last === undefined || this.#entries.length === 0) return
    this.#entries[0] = last
    this.#siftDown(0)
  }

  #compact(): void {
    // A sorted array is a valid heap.
    this.#entries = this.#entries
      .filter(({ item, at }) => this.#isLive(item, at))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#compactAbove = Math.max(compactionFloor, this.#entries.length * 2)
  }

  #siftUp(start: number): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#swapWhenBefore(index, parent)) return
      index = parent
    }
  }

  #siftDown(start: number): void {
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const [a, b] = [this.#entries[left], this.#entries[left + 1]]
      if (a === undefined) return
      const smaller = b !== undefined && isBefore(b, a) ? left + 1 : left
      if (!this.#swapWhenBefore(smaller, index)) return
      index = smaller
    }
  }

  #swapWhenBefore(child: number, parent: number): boolean {
    const [a, b] = [this.#entries[child], this.#entries[parent]]
    if (a === undefined || b === undefined || !isBefore(a, b)) return false
    this.#entries[parent] = a
    this.#entries[child] = b
    return true
  }
}
