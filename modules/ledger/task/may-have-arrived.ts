import type { AttemptRow } from '../table/rows.ts'

/** Outcomes after which the receiver has nothing: it was never reached, or said no for good. */
const NOTHING_ARRIVED: ReadonlySet<string> = new Set(['transient', 'rejected', 'misconfigured'])

/**
 * Whether what an attempt handed over may have reached its receiver; a later refusal takes nothing back. One without an end counts
 * as sent, unless it went to our own pool of codes, which is bound in the commit alone.
 * Source: docs/design/flows.md, Delivery
 */
export function mayHaveArrivedBy({ outcome, target }: Pick<AttemptRow, 'outcome' | 'target'>): boolean {
  return target !== 'card-code' && (outcome === undefined || !NOTHING_ARRIVED.has(outcome))
}
