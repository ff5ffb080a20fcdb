import * as z from 'zod/mini'
import {
  parseChannelId,
  parseChannelTxnId,
  parseOrderNo,
  parseOutTradeNo,
  parseRefundNo,
  parseSku,
  parseTaskNo,
} from '../../../core/ids.ts'
import { parseInstant } from '../../../core/instant.ts'
import { parseCurrency, parseMinorUnits } from '../../../core/money.ts'
import { parseInterface } from '../../../core/stock.ts'

/** Reads by one of the core's parsers; the row is corrupt when it refuses. */
const by = <In, Out>(parse: (value: In) => Out | undefined) =>
  z.pipe(
    z.custom<In>(),
    z.transform((value: In, context): Out => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.issues.push({ code: 'custom', message: 'is not of its form', input: value })
      return z.NEVER
    }),
  )

/** The parsers of the core take texts; an item of the table may hold anything. */
const byText = <Out>(parse: (text: string) => Out | undefined) =>
  by((value: string) => (typeof value === 'string' ? parse(value) : undefined))

/** What attributes of several types of rows are made of. */
export const text = z.string()
export const count = z.int().check(z.nonnegative())
export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array)
export const instant = byText(parseInstant)
export const orderNo = byText(parseOrderNo)
export const channel = byText(parseChannelId)
export const outTradeNo = byText(parseOutTradeNo)
export const channelTxnId = byText(parseChannelTxnId)
export const taskNo = byText(parseTaskNo)
export const refundNo = byText(parseRefundNo)
export const sku = byText(parseSku)
export const way = byText(parseInterface)
export const amount = by(parseMinorUnits)
export const currency = by(parseCurrency)

/** What every row has: its key, the version of its form, how often it was written and when last. */
export const head = { pk: text, sk: text, v: z.literal(1), rev: count, updatedAt: instant }

/** Attributes of the index that the sweep reads. */
export const dueKeys = { duePk: z.optional(text), dueAt: z.optional(instant) }
