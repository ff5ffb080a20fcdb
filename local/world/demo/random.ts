/** A small seeded generator (mulberry32): the same seed gives the same accidents on every machine. */
export function openRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of the entries, each as likely as its weight says. @throws RangeError without a positive weight */
export function pick<T>(random: () => number, entries: readonly (readonly [weight: number, value: T])[]): T {
  const total = entries.reduce((sum, [weight]) => sum + weight, 0)
  let left = random() * total
  for (const [weight, value] of entries) {
    left -= weight
    if (left < 0) return value
  }
  throw new RangeError('Nothing to pick from.')
}
