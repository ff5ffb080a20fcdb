import * as z from 'zod/mini'
import { operatorTypes } from '../../../core/operator.ts'
import { orderStatuses, refundableStatuses, settlements } from '../../../core/order.ts'
import { lineStates } from '../../../core/stock-line.ts'
import { amount, count, currency, dueKeys, head, instant, orderNo, sku, taskNo, text, way } from './fields.ts'

export const orderRow = z.object({
  ...head,
  et: z.literal('ORDER'),
  orderNo,
  status: z.enum(orderStatuses),
  settlement: z.enum(settlements),
  amount,
  currency,
  contentHash: text,
  closeAt: instant,
  createdAt: instant,
  /** How many lines the order has, and how many of them wait for delivery. */
  lines: count,
  undelivered: count,
  /** How many of its payAttempts are open; absent in rows of the first release, whose tries are counted by reading them. */
  openTries: z.optional(count),
  activeTask: z.optional(z.object({ taskNo, fence: count, leaseUntil: instant })),
  closedAt: z.optional(instant),
  refundingFrom: z.optional(z.enum(refundableStatuses)),
  frozen: z.optional(z.object({ taskNo, reason: text, at: instant })),
  /** How many notices the merchant was sent of it: the number of the newest. */
  notices: z.optional(count),
  attributes: z.optional(z.record(text, text)),
  ...dueKeys,
})

export const lineRow = z.object({
  ...head,
  et: z.literal('LINE'),
  line: count,
  sku,
  qty: count,
  state: z.enum(lineStates),
  deliveryNo: z.optional(text),
  deliveredAt: z.optional(instant),
  /** Buckets that hold its goods; absent when the sku is not counted. */
  taken: z.optional(z.array(z.object({ bucket: count, qty: count }))),
  /** Ways of delivery in their order, as they stood when the order was made; absent: the usual webhook. */
  interfaces: z.optional(z.array(way)),
  /** The way that it was delivered by. */
  deliveredBy: z.optional(way),
})

export const journalRow = z.object({
  ...head,
  et: z.literal('JOURNAL'),
  orderNo,
  orderRev: count,
  from: z.union([z.enum(orderStatuses), z.literal('')]),
  to: z.enum(orderStatuses),
  operatorType: z.enum(operatorTypes),
  operator: text,
  reason: text,
  evidence: text,
  at: instant,
  /** How often its publication failed. What follows stands only in a row that the bus has not taken yet (ADR 0013). */
  publishTries: z.optional(count),
  wake: z.optional(instant),
  ...dueKeys,
})
