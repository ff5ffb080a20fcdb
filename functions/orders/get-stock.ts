import type { Sku } from '../core/ids.ts'
import { totalsOf } from '../ledger/put-stock.ts'
import { readStock, type SkuStock } from '../ledger/read-stock.ts'
import type { OrdersDeps } from './deps.ts'
import { type Answer, OrdersError } from './problem.ts'
import { etagOf, viewStock } from './stock-views.ts'

/** What is there of a sku, over all its buckets. @throws OrdersError STOCK_NOT_FOUND */
export async function getStock({ ledger }: Pick<OrdersDeps, 'ledger'>, sku: Sku): Promise<Answer> {
  const stock = await readCounted(ledger, sku)
  return { status: 200, headers: { etag: etagOf(stock) }, body: viewStock(stock.sku, totalsOf(stock)) }
}

/** @throws OrdersError STOCK_NOT_FOUND */
export async function readCounted(ledger: OrdersDeps['ledger'], sku: Sku): Promise<SkuStock> {
  const stock = await readStock(ledger, sku)
  if (stock !== undefined) return stock
  throw new OrdersError('STOCK_NOT_FOUND', `'${sku}' is not counted: any quantity of it can be ordered. PUT it first.`)
}
