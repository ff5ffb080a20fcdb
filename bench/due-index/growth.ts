import { round } from '../statistics.ts'

/** The last value as a multiple of the first: 1 when the cost does not grow. @param values at least one, the first above 0 */
export function growthOf(values: readonly number[]): number {
  const [first, last] = [values[0], values.at(-1)]
  if (first === undefined || last === undefined || !(first > 0))
    throw new RangeError('Growth needs a first value above 0.')
  return round(last / first, 2)
}
