/** Of the requests beyond the first of a second. Source: Lambda developer guide, X-Ray: one a second and 5 % of the others */
const OF_THE_OTHERS = 0.05

/**
 * How many of a function's invocations Lambda traces when tracing is on; it cannot be set. Up to one a second it is each of them,
 * so that X-Ray costs a small merchant the most.
 */
export function tracedShare(invocationsPerSecond: number): number {
  const first = Math.min(1, invocationsPerSecond)
  return (first + OF_THE_OTHERS * (invocationsPerSecond - first)) / invocationsPerSecond
}
