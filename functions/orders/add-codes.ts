import { sealCode } from '../../modules/codes/seal-code.ts'
import { tidyCode } from '../../modules/codes/tidy-code.ts'
import type { Sku } from '../../modules/core/ids.ts'
import { LedgerBugError } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { importCodes, MAX_CODES_PER_TRANSACTION } from '../../modules/ledger/stock/import-codes.ts'
import { wakeCodeWaiters } from '../../modules/ledger/stock/wake-code-waiters.ts'
import type { OrdersDeps } from './deps.ts'
import { readCounted } from './get-stock.ts'
import type { AddCodesBody } from './stock-schemas.ts'

/**
 * Takes in codes of a sku, each once for ever: one that is there already, free or sold, is known. What was taken in before a
 * failure stays, and the same request again takes in the rest. Deliveries that wait for codes of the sku look again.
 * @throws ProblemError STOCK_NOT_FOUND, STOCK_KIND_DIFFERS, VALIDATION_FAILED, ORDER_BUSY
 */
export async function addCodes(deps: OrdersDeps, sku: Sku, { codes }: AddCodesBody): Promise<Answer> {
  const stock = await readCounted(deps.ledger, sku)
  if (stock.sku.kind !== 'card-code') {
    throw new ProblemError('STOCK_KIND_DIFFERS', `'${sku}' is of kind ${stock.sku.kind}, which has no codes.`)
  }
  const tidied = tidyAll(codes)
  const keys = await deps.codeKeys.get()
  const sealed = new Map(tidied.map((code) => sealCode(keys, sku, code)).map((code) => [code.codeId, code]))
  const distinct = [...sealed.values()]
  let added = 0
  for (let start = 0; start < distinct.length; start += MAX_CODES_PER_TRANSACTION) {
    const part = distinct.slice(start, start + MAX_CODES_PER_TRANSACTION)
    const result = await importCodes(deps.ledger, sku, part, deps.now)
    if (result.kind === 'bug') throw new LedgerBugError(`The ledger refused a transaction: ${result.message}`)
    if (result.kind === 'busy') {
      throw new ProblemError('ORDER_BUSY', 'Send the same request again; codes that were taken in are known then.', {
        retryAfterS: 1,
      })
    }
    added += result.added
  }
  if (added > 0) await wakeCodeWaiters(deps.ledger, sku, added, deps.now)
  return { status: 200, body: { sku, added, known: codes.length - added } }
}

/** The codes without what stands around them. @throws ProblemError VALIDATION_FAILED naming each that is none by its index */
function tidyAll(codes: readonly string[]): readonly string[] {
  const tidied = codes.map(tidyCode)
  const fields = tidied.flatMap((code, index) =>
    code.kind === 'refused' ? [{ field: `codes.${index}`, problem: code.problem }] : [],
  )
  if (fields.length > 0) {
    throw new ProblemError('VALIDATION_FAILED', 'Take out the codes that are named; nothing was taken in.', { fields })
  }
  return tidied.flatMap((code) => (code.kind === 'code' ? [code.text] : []))
}
