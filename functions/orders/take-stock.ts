import type { OrderNo, Sku } from '../../modules/core/ids.ts'
import { type BucketStock, pickBuckets, type Taken } from '../../modules/core/stock.ts'
import { invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import type { LineStock } from '../../modules/ledger/order/create-order.ts'
import { countBuckets } from '../../modules/ledger/stock/move-stock.ts'
import type { SkuStock } from '../../modules/ledger/stock/read-stock.ts'
import { shardOf } from '../../modules/ledger/table/keys.ts'
import { MAX_LINE_CODES, maxTakenBuckets } from '../../modules/ledger/table/limits.ts'

interface Line {
  readonly sku: Sku
  readonly qty: number
}

/**
 * Where each line of a new order takes its goods from; nothing for a sku that is not counted.
 * @param stocks of the counted skus, as they were read
 * @param round 0 at the first try; each further one starts at other buckets, where fewer others are
 * @throws ProblemError OUT_OF_STOCK naming the sku; VALIDATION_FAILED for what can never be reserved or delivered
 * Source: docs/design/flows.md, Order and stock
 */
export function takeStock(
  orderNo: OrderNo,
  lines: readonly Line[],
  stocks: ReadonlyMap<Sku, SkuStock>,
  round: number,
): readonly LineStock[] {
  const left = new Map<Sku, readonly BucketStock[]>()
  const taken = lines.map(({ sku, qty }, index): LineStock => {
    const stock = stocks.get(sku)
    if (stock === undefined) return {}
    const { kind, interfaces, buckets: count } = stock.sku
    if (kind === 'card-code' && qty > MAX_LINE_CODES) {
      throw invalidField(`lines[${index}].quantity`, `must be at most ${MAX_LINE_CODES} for a sku of codes`)
    }
    const buckets = left.get(sku) ?? stock.buckets
    const picked = pickBuckets(buckets, qty, shardOf(round === 0 ? orderNo : `${orderNo}/${round}`, count))
    if (picked === undefined) throw outOfStock(sku, index)
    left.set(sku, without(buckets, picked))
    return { taken: picked.map((part) => ({ ...part })), interfaces: [...interfaces] }
  })
  checkSize(lines, taken)
  return taken
}

function without(buckets: readonly BucketStock[], taken: readonly Taken[]): readonly BucketStock[] {
  const qtyOf = new Map(taken.map(({ bucket, qty }) => [bucket, qty]))
  return buckets.map(({ bucket, available }) => ({ bucket, available: available - (qtyOf.get(bucket) ?? 0) }))
}

/** What is accepted here can always be booked, released and delivered in one transaction. */
function checkSize(lines: readonly Line[], taken: readonly LineStock[]): void {
  const used = countBuckets(lines.map(({ sku }, index) => ({ sku, ...taken[index] })))
  const most = maxTakenBuckets(lines.length)
  if (used <= most) return
  throw invalidField(
    'lines',
    `take from ${used} places of counted stock, and an order of ${lines.length} lines can take from ${most}: split the order`,
  )
}

function outOfStock(sku: Sku, index: number): ProblemError {
  return new ProblemError('OUT_OF_STOCK', `There is not enough of '${sku}'. Nothing was reserved.`, {
    fields: [{ field: `lines[${index}].quantity`, problem: `is more than is available of ${sku}` }],
  })
}
