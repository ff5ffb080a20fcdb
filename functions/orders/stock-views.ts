import type { z } from 'zod'
import type { totalsOf } from '../../modules/ledger/stock/put-stock-writes.ts'
import type { SkuStock } from '../../modules/ledger/stock/read-stock.ts'
import type { SkuRow } from '../../modules/ledger/table/rows.ts'
import { stockView } from './stock-schemas.ts'

/** The revision of a sku's settings and its count; taking and giving back by orders leaves it as it is. */
export function etagOf({ sku }: SkuStock): string {
  return `"${sku.rev}"`
}

export function viewStock(
  settings: Pick<SkuRow, 'sku' | 'kind' | 'buckets' | 'rev' | 'updatedAt'> & { readonly interfaces: readonly string[] },
  totals: ReturnType<typeof totalsOf>,
): z.output<typeof stockView> {
  return stockView.parse({ ...settings, ...totals, revision: settings.rev })
}
