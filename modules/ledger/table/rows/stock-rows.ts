import * as z from 'zod/mini'
import { stockKinds } from '../../../core/stock.ts'
import { bytes, count, head, instant, orderNo, sku, text, way } from './fields.ts'

/** One share of a sku's stock. `available` = onHand − reserved − sold, kept because a condition cannot add. */
export const stockRow = z.object({
  ...head,
  et: z.literal('STOCK'),
  sku,
  bucket: count,
  onHand: count,
  reserved: count,
  sold: count,
  available: count,
})

/** A sku's settings. */
export const skuRow = z.object({
  ...head,
  et: z.literal('SKU'),
  sku,
  kind: z.enum(stockKinds),
  interfaces: z.array(way),
  /** How many buckets take in stock; ones of a higher number only give out what they hold. */
  buckets: count,
})

/** An encrypted code: free under its sku, or bound under the order that it was sold with. */
export const codeRow = z.object({
  ...head,
  et: z.literal('CODE'),
  sku,
  codeId: text,
  /** The key that it is encrypted with. */
  keyId: text,
  sealed: bytes,
  line: z.optional(count),
  boundAt: z.optional(instant),
})

/** A code that was bound: what stays of it under its sku. */
export const usedCodeRow = z.object({
  ...head,
  et: z.literal('USED_CODE'),
  sku,
  codeId: text,
  orderNo,
  line: count,
})
