import { z } from 'zod'
import type { OrderNo } from '../core/ids.ts'
import { invalidField } from './problem.ts'

const cursorSchema = z.object({ v: z.literal(1), orderNo: z.string(), after: z.string().min(1).max(1024) })

/** Where the next page starts, opaque to the caller. It holds no secret and reaches only rows that the caller may read. */
export function writeCursor(orderNo: OrderNo, after: string): string {
  return Buffer.from(JSON.stringify({ v: 1, orderNo, after })).toString('base64url')
}

/**
 * The sort key that a page starts after.
 * @throws OrdersError VALIDATION_FAILED for a text that `writeCursor` did not make for this order
 */
export function readCursor(orderNo: OrderNo, cursor: string): string {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (parsed.success && writeCursor(orderNo, parsed.data.after) === cursor) return parsed.data.after
  throw invalidField('cursor', 'must be the nextCursor of an earlier page of this order')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no cursor of ours: the schema refuses it
  }
}
