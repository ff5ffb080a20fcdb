/** How goods of a sku reach the buyer: out of our own pool of codes, or by a webhook, the usual one or one of a name. */
export type DeliveryInterface = 'card-code' | 'webhook' | `webhook:${string}`

/** `goods` are counted by the merchant; of `card-code` skus the unused codes are counted. Never changes. */
export const stockKinds = ['goods', 'card-code'] as const
export type StockKind = (typeof stockKinds)[number]

/** How a line is delivered whose sku names nothing else. */
export const DEFAULT_INTERFACES: { readonly [Kind in StockKind]: readonly DeliveryInterface[] } = {
  goods: ['webhook'],
  'card-code': ['card-code'],
}

const NAMED_WEBHOOK = /^webhook:[a-z][a-z0-9-]{0,23}$/

/** @returns `undefined` for a text that names no way of delivery */
export function parseInterface(text: string): DeliveryInterface | undefined {
  if (text === 'card-code' || text === 'webhook') return text
  return NAMED_WEBHOOK.test(text) ? (text as DeliveryInterface) : undefined
}

/** The configured name of a webhook, `undefined` for the usual one. */
export function webhookNameOf(way: Exclude<DeliveryInterface, 'card-code'>): string | undefined {
  return way === 'webhook' ? undefined : way.slice('webhook:'.length)
}

/** What one bucket of a sku can still give. */
export interface BucketStock {
  readonly bucket: number
  readonly available: number
}

/** What a line took from one bucket, and gives back to the same one. */
export interface Taken {
  readonly bucket: number
  readonly qty: number
}

/**
 * Where a quantity is taken from: the first bucket of the ring that holds all of it, else as few buckets as possible, the
 * fullest first. Orders that start at different places do not meet.
 * @param first place in `buckets` where this order's ring starts
 * @returns `undefined` when all buckets together hold less
 * Source: docs/design/flows.md, Order and stock
 */
export function pickBuckets(buckets: readonly BucketStock[], qty: number, first: number): readonly Taken[] | undefined {
  const ring = [...buckets.slice(first), ...buckets.slice(0, first)]
  const whole = ring.find(({ available }) => available >= qty)
  if (whole !== undefined) return [{ bucket: whole.bucket, qty }]
  const taken: Taken[] = []
  let missing = qty
  for (const { bucket, available } of ring.toSorted((a, b) => b.available - a.available)) {
    if (missing === 0 || available <= 0) break
    const part = Math.min(available, missing)
    taken.push({ bucket, qty: part })
    missing -= part
  }
  return missing === 0 ? taken : undefined
}

/**
 * Spreads more or less stock over buckets so that they come to hold about the same, moving all of them one way only: a bucket
 * that orders take from meanwhile is touched no more than it must be.
 * @param levels what each holds now, at least 0
 * @param change units to add, or to take when negative
 * @returns the change of each, in the order of `levels`; they add up to `change`
 * @throws RangeError when less is there than shall be taken, or there is no bucket: a bug in the caller
 */
export function spreadChange(levels: readonly number[], change: number): readonly number[] {
  const total = levels.reduce((sum, level) => sum + level, 0)
  if (levels.length === 0 || total + change < 0)
    throw new RangeError('Buckets hold less than shall be taken from them.')
  const towards = change < 0 ? (level: number) => -level : (level: number) => level
  // Water finds its level: the lowest are filled up first (or, upside down, the highest are let out first).
  const order = levels.map((level, index) => ({ index, level: towards(level) })).sort((a, b) => a.level - b.level)
  const changes = levels.map(() => 0)
  let left = Math.abs(change)
  for (let count = 1; left > 0; count++) {
    const filling = order.slice(0, count)
    const next = order[count]
    const here = filling.at(-1)?.level ?? 0
    const share = next === undefined ? left : Math.min(left, (next.level - here) * count)
    filling.forEach(({ index }, place) => {
      const part = Math.floor(share / count) + (place < share % count ? 1 : 0)
      changes[index] = (changes[index] ?? 0) + (change < 0 ? -part : part)
    })
    left -= share
  }
  return changes
}
