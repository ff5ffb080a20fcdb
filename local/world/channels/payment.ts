/** What the channel knows of one payment: the truth that every notice, query and later bill is drawn from. */
export interface Payment {
  readonly id: number
  /** The merchant's number, as it was given at the cashier. */
  readonly outTradeNo: string
  /** The channel's own number; some channels give it only when the buyer turns up. */
  readonly channelTxnId?: string
  readonly status: 'open' | 'paid' | 'closed'
  /** ISO minor units, as ordered. */
  readonly amount: number
  readonly currency: string
  /** What really moved, which a wrong cashier can make another sum. */
  readonly paidAmount?: number
  readonly paidCurrency?: string
  /** ms since the epoch, as all times here. */
  readonly createdAt: number
  readonly paidAt?: number
  readonly closedAt?: number
  /** Closed by the merchant's call rather than by the channel itself. */
  readonly closedBy?: 'merchant'
  /** Since when the buyer's money is under way, where the channel tells. */
  readonly pendingAt?: number
  /** The last refused try to pay; the payment stays open. */
  readonly failedAt?: number
}

/** What may be told to the merchant. */
export type PaymentEvent = 'paid' | 'failed' | 'closed'

/**
 * Harm to a notice. `signature` and `amount`: altered on the way, the first send only. `account` and `livemode`: genuinely signed,
 * but not ours, every send. `probe`: WeChat's own deliberate forgery, the first send only.
 */
export type Tamper = 'signature' | 'amount' | 'account' | 'livemode' | 'probe'

/** One notice of one event, sent until it is acknowledged or the channel's schedule ends. */
export interface Notice {
  readonly id: number
  readonly paymentId: number
  readonly event: PaymentEvent | 'pending'
  /** The same in all sends. */
  readonly eventId: string
  /** The channel's own form of the facts; signed anew for each send. */
  readonly content: string
  /** `lost`: never arrives, whatever the channel does (delivery is promised by none of them). */
  readonly status: 'pending' | 'acked' | 'gave-up' | 'lost'
  /** Sends that were made and have an outcome. */
  readonly attempts: number
  readonly nextAt: number
  readonly tamper?: Tamper
  /** Only the tampered send goes out; the genuine ones are lost. */
  readonly once?: true
  readonly lastAnswer?: string
}
