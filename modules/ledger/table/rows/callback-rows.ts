import * as z from 'zod/mini'
import { verdicts } from '../../../core/verdict.ts'
import { bytes, channel, count, head, instant, orderNo, text } from './fields.ts'

export const callbackRow = z.object({
  ...head,
  et: z.literal('CALLBACK'),
  channel,
  eventId: text,
  bodySha256: text,
  /** Of what was signed, hex, where that is not the body's bytes: then the key is made of it. */
  identity: z.optional(text),
  verdict: z.enum(verdicts),
  receivedAt: instant,
  keyId: text,
  headers: z.record(text, text),
  seen: count,
  raw: z.optional(bytes),
  rawKey: z.optional(text),
})

/** Makes a number unique over all orders, and leads to the collection that has it. */
export const guardRow = z.object({
  ...head,
  et: z.literal('GUARD'),
  orderNo: z.optional(orderNo),
  /** The item collection that holds the row this guard is for. */
  collection: text,
})
