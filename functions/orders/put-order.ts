import type { OrderNo } from '../../modules/core/ids.ts'
import { type Instant, msOf } from '../../modules/core/instant.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import { createOrderWrites, newOrder } from '../../modules/ledger/order/create-order.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { readStocks } from '../../modules/ledger/stock/read-stock.ts'
import type { OrdersDeps } from './deps.ts'
import { findDifference, readContent } from './order-content.ts'
import type { PutOrderBody } from './schemas.ts'
import { takeStock } from './take-stock.ts'
import { viewOrderWithLines } from './views.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** An order that nobody pays does not stay open for ever by a slip in a date. */
const MAX_OPEN_DAYS = 366

/**
 * Has an order watched. The same content again is the same order; other content under its number is refused.
 * @param operator who calls, for the journal
 * @throws ProblemError ORDER_CONTENT_DIFFERS, OUT_OF_STOCK, VALIDATION_FAILED
 */
export function putOrder(deps: OrdersDeps, orderNo: OrderNo, body: PutOrderBody, operator: string): Promise<Answer> {
  let round = 0
  return decideUntilCommitted(deps, async (now) => {
    // Before the file: what our own twin has taken is then seen as its order, not as a lack.
    const stocks = await readStocks(
      deps.ledger,
      body.lines.map(({ sku }) => sku),
    )
    const file = await readOrderFile(deps.ledger, orderNo)
    if (file.order !== undefined) {
      const different = findDifference(file.order, file.lines, body)
      if (different !== undefined) throw contentDiffers(different)
      return { kind: 'answer', answer: { status: 200, body: viewOrderWithLines(file.order, file.lines) } }
    }
    checkCloseAt(body.closeAt, now)
    const content = readContent(orderNo, body, deps.closeAfterMs, now)
    const created = newOrder(content, now, takeStock(orderNo, content.lines, stocks, round++))
    return {
      kind: 'commit',
      writes: createOrderWrites(created, file, operator, { ...deps, now }),
      answer: {
        status: 201,
        headers: { location: `/orders/${orderNo}` },
        body: viewOrderWithLines(created.order, created.lines),
      },
    }
  })
}

/** Judged only for a new order: a request that is repeated late is still the same request. */
function checkCloseAt(closeAt: Instant | undefined, now: Instant): void {
  if (closeAt === undefined) return
  const openMs = msOf(closeAt) - msOf(now)
  if (openMs <= 0) throw invalidField('closeAt', 'must be in the future')
  if (openMs > MAX_OPEN_DAYS * DAY_MS) throw invalidField('closeAt', `must be at most ${MAX_OPEN_DAYS} days ahead`)
}

function contentDiffers(field: string): ProblemError {
  return new ProblemError(
    'ORDER_CONTENT_DIFFERS',
    `The order exists with another '${field}', and an order's content never changes. Use another orderNo.`,
    { fields: [{ field, problem: "differs from the order's" }] },
  )
}
