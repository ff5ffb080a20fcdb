import { z } from 'zod'
import { invalidField } from './problem.ts'

/** A sort key of ours: DynamoDB takes no half of a surrogate pair, and no key of over 1,024 bytes. */
const SORT_KEY = /^[ -~]{1,1024}$/
const cursorSchema = z.object({ v: z.literal(1), of: z.string(), after: z.string().regex(SORT_KEY) })

/**
 * Where the next page starts, opaque to the caller. It holds no secret and reaches only rows that the caller may read.
 * @param of what is paged: an order's number, or the text of a query
 */
export function writeCursor(of: string, after: string): string {
  return Buffer.from(JSON.stringify({ v: 1, of, after })).toString('base64url')
}

/**
 * The sort key that a page starts after.
 * @throws ProblemError VALIDATION_FAILED for a text that `writeCursor` did not make for this
 */
export function readCursor(of: string, cursor: string): string {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (parsed.success && writeCursor(of, parsed.data.after) === cursor) return parsed.data.after
  throw invalidField('cursor', 'must be the nextCursor of an earlier page of the same')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no cursor of ours: the schema refuses it
  }
}
