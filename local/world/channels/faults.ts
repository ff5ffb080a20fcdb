import { createHash } from 'node:crypto'
import { z } from 'zod'

const probability = z.number().min(0).max(1).default(0)

/** How the channel misbehaves by itself. Chances are per payment, `drop` per send. */
export const faultsSchema = z.strictObject({
  /** All sends of a notice never arrive: only a query or the bill can tell. */
  lose: probability,
  /** One send is lost on the way; the channel's own schedule repeats it. */
  drop: probability,
  /** Every notice starts this much later. */
  delayMs: z.number().min(0).default(0),
  /** A notice is sent twice at once. */
  double: probability,
  /** A notice waits up to 30 s, so that later ones overtake it. */
  reorder: probability,
  /** The first send arrives altered. */
  tamper: probability,
  /** One minor unit less is paid than was ordered (one more for an order of a single unit). */
  wrongAmount: probability,
  seed: z.number().int().default(1),
})
export type Faults = z.infer<typeof faultsSchema>

export const MAX_REORDER_MS = 30_000

/**
 * A number in [0, 1) that depends on the seed and the names alone, so that neither the order of requests nor a restart changes
 * what happens to a payment.
 */
export function drawNumber(seed: number, ...names: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
    .digest()
  return digest.readUIntBE(0, 6) / 2 ** 48
}
