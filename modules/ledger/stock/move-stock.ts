import type { Sku } from '../../core/ids.ts'
import { rowExists, stockIsAvailable } from '../table/conditions.ts'
import { bucketSk, stockPk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { LineRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'

type Side = 'available' | 'reserved' | 'sold'

/** Both sides of each move, so that a bucket's sides always add up to what is on hand. */
const moves = {
  reserve: { from: 'available', to: 'reserved' },
  sell: { from: 'reserved', to: 'sold' },
  release: { from: 'reserved', to: 'available' },
  restock: { from: 'sold', to: 'available' },
} as const satisfies Record<string, { readonly from: Side; readonly to: Side }>

/**
 * The stock of lines on its way from one side to another, as part of the transaction that moves the lines: each line's own
 * condition makes it happen once. Lines that share a bucket share its write, as DynamoDB takes one write of an item.
 */
export function moveStock(
  move: keyof typeof moves,
  lines: readonly Pick<LineRow, 'sku' | 'taken'>[],
): readonly Write[] {
  const { from, to } = moves[move]
  return sumByBucket(lines).map(({ sku, bucket, qty }) =>
    update(
      { pk: stockPk(sku), sk: bucketSk(bucket), et: 'STOCK' },
      { add: { [from]: -qty, [to]: qty } },
      // Only taking depends on what is there. What a line holds it may always pass on: a miscount must not stop a payment.
      from === 'available' ? stockIsAvailable(qty) : rowExists,
    ),
  )
}

/** How many buckets lines take from: the writes of each of their moves. */
export function countBuckets(lines: readonly Pick<LineRow, 'sku' | 'taken'>[]): number {
  return sumByBucket(lines).length
}

interface Share {
  readonly sku: Sku
  readonly bucket: number
  readonly qty: number
}

function sumByBucket(lines: readonly Pick<LineRow, 'sku' | 'taken'>[]): readonly Share[] {
  const shares = new Map<string, Share>()
  for (const { sku, taken = [] } of lines) {
    for (const { bucket, qty } of taken) {
      const key = `${sku}/${bucket}`
      shares.set(key, { sku, bucket, qty: qty + (shares.get(key)?.qty ?? 0) })
    }
  }
  return [...shares.values()]
}
