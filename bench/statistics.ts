/** The value below which the share `q` of the values lies, by the nearest rank. @param values at least one */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length)))
  const value = sorted[rank - 1]
  if (value === undefined) throw new RangeError('A quantile needs at least one value.')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** `value` with as many digits as a reader needs. */
export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
