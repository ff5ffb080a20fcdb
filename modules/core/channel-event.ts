import type { ChannelId, ChannelTxnId, OutTradeNo, RefundNo } from './ids.ts'
import type { Instant } from './instant.ts'
import type { Money } from './money.ts'

/** What a notice says has happened, classified by its money fields and not by its address or one status word. */
export type ChannelEventKind =
  | 'payment'
  | 'failed'
  /** The end of a payAttempt, or with `undo` and a transaction: money that was booked is void. */
  | 'closed'
  | 'refund'
  | 'dispute'
  /** The channel's own test message: acknowledged and counted. */
  | 'probe'
  /** Genuine, and of a type or code that no table of ours knows: one ticket per channel and code, ever. */
  | 'unknown'
  /** Known, and nothing that concerns money or an order: kept with its verdict. */
  | 'other'

/**
 * Money that was undone, in the only three forms there are: one movement with an id, a running sum, all of it. A channel that says
 * that money went back and not how much says `amountUnknown`.
 */
export type UndoForm = 'one' | 'sum' | 'all' | 'amountUnknown'
export type UndoState = 'pending' | 'done' | 'failed' | 'reversed'

/** What a notice or an answer says of money that went back. */
export interface Undo {
  readonly form: UndoForm
  readonly state: UndoState
  /** The channel's own id of the movement (Stripe re_ or dp_, WeChat Pay refund_id, Alipay out_biz_no). Fits into a key. */
  readonly id?: string
  /** What went back: of the movement for `one`, in all for `sum`. Absent for `all` and `amountUnknown`. */
  readonly money?: Money
  /** The channel's time of this news: older news changes nothing. */
  readonly at?: Instant
  /** Until when a dispute can be answered. */
  readonly dueAt?: Instant
}

/**
 * One fact (or hint) out of one verified callback, a query or a bill row: the only form in which the core sees a channel.
 * Source: docs/design/messages.md
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
  /** On `refund`, `dispute` and `closed` when money of a transaction was undone. */
  readonly undo?: Undo
  /** The channel's own word for what happened, for tickets and for codes that no table knows: printable, at most 64 characters. */
  readonly code?: string
}
