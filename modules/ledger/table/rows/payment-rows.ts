import * as z from 'zod/mini'
import { settlements } from '../../../core/order.ts'
import { payAttemptStates } from '../../../core/pay-attempt.ts'
import { paymentRoles } from '../../../core/payment.ts'
import { refundStates } from '../../../core/refund.ts'
import {
  amount,
  channel,
  channelTxnId,
  count,
  currency,
  head,
  instant,
  orderNo,
  outTradeNo,
  refundNo,
  text,
} from './fields.ts'

export const payAttemptRow = z.object({
  ...head,
  et: z.literal('PAYATTEMPT'),
  channel,
  outTradeNo,
  state: z.enum(payAttemptStates),
  channelRef: z.optional(text),
  amount,
  currency,
  expiresAt: instant,
  createdAt: instant,
})

export const paymentRow = z.object({
  ...head,
  et: z.literal('PAYMENT'),
  channel,
  channelTxnId,
  outTradeNo: z.optional(outTradeNo),
  orderNo: z.optional(orderNo),
  role: z.enum(paymentRoles),
  paid: amount,
  reserved: amount,
  refunded: amount,
  currency,
  /** The channel's time; our time of receipt stands in where the notice has none. */
  paidAt: instant,
  settlement: z.enum(settlements),
})

export const refundRow = z.object({
  ...head,
  et: z.literal('REFUND'),
  refundNo,
  cause: text,
  channel,
  channelTxnId,
  amount,
  currency,
  state: z.enum(refundStates),
  wire: count,
  run: count,
  createdAt: instant,
})
