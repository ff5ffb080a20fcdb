import * as z from 'zod/mini'
import { ownCauses, toldCauses } from '../../../core/balance.ts'
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
  /** Refunds of others and disputes that are done, as single movements. Absent: none. */
  external: z.optional(amount),
  disputed: z.optional(amount),
  /** The largest running sum that was told, and what of it is provably not ours. */
  told: z.optional(amount),
  foreign: z.optional(amount),
  /** The channel cancelled, voided, revoked or expired all of it. */
  allBack: z.optional(z.boolean()),
  /** Money went back and the channel did not say how much. */
  amountUnknown: z.optional(z.boolean()),
  /** What a new request may take; below 0 by facts only. Absent in rows of earlier releases: computed when read. */
  free: z.optional(z.int()),
  /** AWAITED only: movements that were told before the payment, by cause and the channel's id. */
  heard: z.optional(
    z.record(
      text,
      z.object({
        cause: z.enum(toldCauses),
        id: text,
        amount,
        state: z.enum(refundStates),
        newsAt: z.optional(instant),
      }),
    ),
  ),
  /** The channel's time; our time of receipt stands in where the notice has none. */
  paidAt: instant,
  settlement: z.enum(settlements),
})

export const refundRow = z.object({
  ...head,
  et: z.literal('REFUND'),
  refundNo,
  cause: z.enum([...ownCauses, ...toldCauses]),
  /** The channel's own number of a movement that it told us of. */
  channelRefundId: z.optional(text),
  /** The channel's time of the newest news of it. */
  newsAt: z.optional(instant),
  /** Until when a dispute can be answered. */
  answerBy: z.optional(instant),
  /** When it was first claimed for sending. */
  firstClaimAt: z.optional(instant),
  channel,
  channelTxnId,
  amount,
  currency,
  state: z.enum(refundStates),
  wire: count,
  run: count,
  createdAt: instant,
})
