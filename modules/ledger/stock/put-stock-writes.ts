import type { Sku } from '../../core/ids.ts'
import { type DeliveryInterface, type StockKind, spreadChange } from '../../core/stock.ts'
import { revIs, rowExists, rowIsNew, stockIsAvailable } from '../table/conditions.ts'
import { bucketSk, skuKey, stockPk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { put, update } from '../table/writes.ts'
import type { SkuStock } from './read-stock.ts'

/** What a sku shall be. */
export interface StockSettings {
  readonly sku: Sku
  readonly kind: StockKind
  readonly interfaces: readonly DeliveryInterface[]
  readonly buckets: number
  /** Everything that ever came in, over all buckets. */
  readonly onHand: number
}

/** Sums over the buckets of a sku. */
export function totalsOf({ buckets }: Pick<SkuStock, 'buckets'>) {
  const sum = (side: 'onHand' | 'reserved' | 'sold' | 'available') =>
    buckets.reduce((total, bucket) => total + bucket[side], 0)
  return { onHand: sum('onHand'), reserved: sum('reserved'), sold: sum('sold'), available: sum('available') }
}

/**
 * A sku's settings and its stock on hand, spread over its buckets, as one transaction. Only differences are written, so orders
 * may go on taking meanwhile; a bucket that has given more than shall be taken out of it makes the whole fail.
 * @param before as it was read; `undefined` for a sku that is not counted yet
 * @throws RangeError when more is reserved and sold than shall be on hand: the caller refuses that before
 */
export function putStockWrites(settings: StockSettings, before: SkuStock | undefined): readonly Write[] {
  const { sku, kind, interfaces, buckets, onHand } = settings
  const content = { kind, interfaces: [...interfaces], buckets }
  const first =
    before === undefined
      ? put({ ...skuKey(sku), et: 'SKU', sku, ...content }, rowIsNew)
      : update(before.sku, { set: content }, revIs(before.sku.rev))
  return [first, ...changeBuckets(settings, before, onHand)]
}

function changeBuckets(
  { sku, buckets }: StockSettings,
  before: SkuStock | undefined,
  onHand: number,
): readonly Write[] {
  const held = new Map((before?.buckets ?? []).map(({ bucket, available }) => [bucket, available]))
  const active = Array.from({ length: buckets }, (_, bucket) => bucket)
  const retired = [...held].filter(([bucket, available]) => bucket >= buckets && available > 0)
  const moved = retired.reduce((sum, [, available]) => sum + available, 0)
  const change = onHand - (before === undefined ? 0 : totalsOf(before).onHand) + moved
  const spread = spreadChange(
    active.map((bucket) => held.get(bucket) ?? 0),
    change,
  )
  return [
    ...active.flatMap((bucket, index): readonly Write[] => {
      const part = spread[index] ?? 0
      return held.has(bucket) ? changeBucket(sku, bucket, part) : [newBucket(sku, bucket, part)]
    }),
    ...retired.flatMap(([bucket, available]) => changeBucket(sku, bucket, -available)),
  ]
}

/** More stock in a bucket (or less): on hand and available alike. */
export function changeBucket(sku: Sku, bucket: number, change: number): readonly Write[] {
  if (change === 0) return []
  const target = { pk: stockPk(sku), sk: bucketSk(bucket), et: 'STOCK' } as const
  const when = change < 0 ? stockIsAvailable(-change) : rowExists
  return [update(target, { add: { onHand: change, available: change } }, when)]
}

function newBucket(sku: Sku, bucket: number, onHand: number): Write {
  const key = { pk: stockPk(sku), sk: bucketSk(bucket) }
  return put({ ...key, et: 'STOCK', sku, bucket, onHand, reserved: 0, sold: 0, available: onHand }, rowIsNew)
}
