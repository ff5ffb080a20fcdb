import { createHash } from 'node:crypto'
import type { OrderNo } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import type { OrderContent } from '../../modules/ledger/order/create-order.ts'
import type { LineRow, OrderRow } from '../../modules/ledger/table/rows.ts'
import type { PutOrderBody } from './schemas.ts'

/** The order that a request describes. Its hash covers what the merchant said, never what the clock put in. */
export function readContent(orderNo: OrderNo, body: PutOrderBody, closeAfterMs: number, now: Instant): OrderContent {
  const { amount, currency, lines, closeAt, attributes } = body
  return {
    orderNo,
    amount,
    currency,
    lines: lines.map(({ sku, quantity }) => ({ sku, qty: quantity })),
    closeAt: closeAt ?? plusMs(now, closeAfterMs),
    contentHash: hashContent(body),
    ...(attributes !== undefined && { attributes }),
  }
}

/** SHA-256 in hex over the content as canonical JSON: fixed order of names, sorted attributes, times in UTC. */
function hashContent({ amount, currency, lines, closeAt, attributes }: PutOrderBody): string {
  const canonical = {
    amount,
    currency,
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
    ...(closeAt !== undefined && { closeAt }),
    attributes: sorted(attributes),
  }
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
}

/** As pairs: an object would put names that look like numbers first. No attributes are the same as none given. */
function sorted(attributes: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] {
  return Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * The first field in which a request differs from the order that exists, or `undefined` when it is the same content.
 * A closeAt that repeats the one that the clock gave is no difference.
 */
export function findDifference(order: OrderRow, lines: readonly LineRow[], body: PutOrderBody): string | undefined {
  if (hashContent(body) === order.contentHash) return undefined
  if (body.amount !== order.amount) return 'amount'
  if (body.currency !== order.currency) return 'currency'
  const line = findLineDifference(lines, body.lines)
  if (line !== undefined) return line
  if (JSON.stringify(sorted(body.attributes)) !== JSON.stringify(sorted(order.attributes))) return 'attributes'
  return body.closeAt === order.closeAt ? undefined : 'closeAt'
}

function findLineDifference(lines: readonly LineRow[], given: PutOrderBody['lines']): string | undefined {
  if (lines.length !== given.length) return 'lines'
  const index = given.findIndex(({ sku, quantity }, at) => sku !== lines[at]?.sku || quantity !== lines[at]?.qty)
  if (index === -1) return undefined
  return given[index]?.sku === lines[index]?.sku ? `lines[${index}].quantity` : `lines[${index}].sku`
}
