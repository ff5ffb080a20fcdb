import type { Sku } from '../../modules/core/ids.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { totalsOf } from '../../modules/ledger/stock/put-stock-writes.ts'
import { readStock, type SkuStock } from '../../modules/ledger/stock/read-stock.ts'
import type { OrdersDeps } from './deps.ts'
import { etagOf, viewStock } from './stock-views.ts'

/** What is there of a sku, over all its buckets. @throws ProblemError STOCK_NOT_FOUND */
export async function getStock({ ledger }: Pick<OrdersDeps, 'ledger'>, sku: Sku): Promise<Answer> {
  const stock = await readCounted(ledger, sku)
  return { status: 200, headers: { etag: etagOf(stock) }, body: viewStock(stock.sku, totalsOf(stock)) }
}

/** @throws ProblemError STOCK_NOT_FOUND */
export async function readCounted(ledger: OrdersDeps['ledger'], sku: Sku): Promise<SkuStock> {
  const stock = await readStock(ledger, sku)
  if (stock !== undefined) return stock
  throw new ProblemError('STOCK_NOT_FOUND', `'${sku}' is not counted: any quantity of it can be ordered. PUT it first.`)
}
