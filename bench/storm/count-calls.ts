/** The most moments that lie within any window of `windowMs` (its end excluded), wherever it begins. */
export function mostWithin(momentsMs: readonly number[], windowMs: number): number {
  const sorted = momentsMs.toSorted((a, b) => a - b)
  let most = 0
  let first = 0
  for (const [last, moment] of sorted.entries()) {
    while (moment - (sorted[first] ?? moment) >= windowMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** By how much the most calls of any second lie above what is allowed, as a share; 0 when they do not. */
export function overshootOf(momentsMs: readonly number[], perS: number): number {
  return Math.max(0, mostWithin(momentsMs, 1000) / perS - 1)
}

/** From the storm's beginning to its last call, as a multiple of what `perS` allows at best. @param momentsMs at least one */
export function drainRatio(momentsMs: readonly number[], startMs: number, perS: number): number {
  const lastMs = momentsMs.reduce((last, moment) => Math.max(last, moment), Number.NEGATIVE_INFINITY)
  return (lastMs - startMs) / ((momentsMs.length / perS) * 1000)
}
