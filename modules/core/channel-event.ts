import type { ChannelId, ChannelTxnId, OutTradeNo, RefundNo } from './ids.ts'
import type { Instant } from './instant.ts'
import type { Money } from './money.ts'

/** What a notice says has happened, classified by its money fields and not by its address or one status word. */
export type ChannelEventKind = 'payment' | 'failed' | 'closed' | 'refund' | 'dispute' | 'other'

/**
 * One fact (or hint) out of one verified callback, a query or a bill row: the only form in which the core sees a channel.
 * Source: design.md 4a, Messages.
 */
export interface ChannelEvent {
  readonly channel: ChannelId
  /** The channel's own id of the notice, the same in all its repeats. */
  readonly eventId: string
  readonly kind: ChannelEventKind
  /** A `hint` may be forged in its figures (PayPal signs only a CRC): it wakes a query and decides nothing. */
  readonly trust: 'fact' | 'hint'
  readonly outTradeNo?: OutTradeNo
  readonly channelTxnId?: ChannelTxnId
  /** Ours, when the channel sent it back. */
  readonly refundNo?: RefundNo
  /**
   * The refund's number as the channel tells it (Stripe re_…, WeChat refund_id, Alipay out_biz_no): two notices of one
   * refund have one, so that a single amount without a refundNo of ours is never counted twice. Fits into a key.
   */
  readonly channelRefundId?: string
  /** What the buyer was charged for the order (payments), or what went back (refunds). */
  readonly money?: Money
  /** True when `money` of a refund is the running total of all refunds of the payment. */
  readonly cumulative?: boolean
  /** The channel's time of the payment, never ours. */
  readonly paidAt?: Instant
}
