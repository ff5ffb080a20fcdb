import type { z } from 'zod'
import type { CodeKeys } from '../../modules/codes/code-keys.ts'
import { openCode } from '../../modules/codes/seal-code.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { readBoundCodes } from '../../modules/ledger/stock/read-stock.ts'
import type { CodeRow } from '../../modules/ledger/table/rows.ts'
import type { OrdersDeps } from './deps.ts'
import type { orderCodesView } from './stock-schemas.ts'

/**
 * The codes of an order's delivered lines in plain text: the only place that shows them.
 * @throws ProblemError ORDER_NOT_FOUND; CodeUnreadableError
 */
export async function getCodes(deps: OrdersDeps, orderNo: OrderNo): Promise<Answer> {
  const { order, lines } = await readOrderFile(deps.ledger, orderNo)
  if (order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `No order ${orderNo} was created.`)
  const bound = await readBoundCodes(deps.ledger, orderNo)
  const keys = await keysFor(deps, bound)
  const body: z.output<typeof orderCodesView> = {
    orderNo,
    lines: lines.flatMap(({ line, sku, deliveredAt }) => {
      const codes = bound.filter((code) => code.line === line)
      if (deliveredAt === undefined || codes.length === 0) return []
      return [{ line, sku, deliveredAt, codes: codes.map((code) => openCode(keys, code)) }]
    }),
  }
  return { status: 200, headers: { 'cache-control': 'no-store' }, body }
}

/** After a rotation another environment may have taken in codes under a key that this one has not fetched yet. */
async function keysFor({ codeKeys }: OrdersDeps, codes: readonly CodeRow[]): Promise<CodeKeys> {
  const keys = await codeKeys.get()
  if (codes.every(({ keyId }) => keys.byId.has(keyId))) return keys
  return (await codeKeys.refetch()) ?? keys
}
