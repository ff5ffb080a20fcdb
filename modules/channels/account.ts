import type { ChannelId } from '../core/ids.ts'

/** What is configured of one payment provider account; secrets live elsewhere. Validated at synth by `infra/config.ts`. */
export type ChannelAccount =
  | StripeAccount
  | StandardWebhooksAccount
  | AlipayAccount
  | WechatpayAccount
  | AdyenAccount
  | PaypalAccount

interface Account {
  readonly id: ChannelId
  /** Base address of the channel's API when it is not the provider's own (a sandbox, a simulator). */
  readonly apiBase?: string
}

export interface StripeAccount extends Account {
  readonly kind: 'stripe'
  readonly livemode: boolean
  /** Connected account whose events are ours (`acct_…`); without it, events that name an account are foreign. */
  readonly account?: string
}

/** Where a sender's own JSON keeps what we need; dotted paths into the body, e.g. `data.order_no`. */
export interface WebhookMapping {
  readonly type: string
  readonly outTradeNo: string
  readonly channelTxnId: string
  readonly amount: string
  readonly currency: string
  readonly paidAt?: string
  readonly refundNo?: string
  /** What `amount` of a refund is: that of `one` movement (default), or the running `sum` of all of the payment's. */
  readonly refundForm?: 'one' | 'sum'
  /** Whether `amount` is an integer of minor units or a decimal string of major units. */
  readonly unit: 'minor' | 'major'
  /** The sender's event types that mean each kind. What is in no list is unknown, and opens one ticket: list what moves nothing. */
  readonly types: {
    readonly payment: readonly string[]
    readonly failed?: readonly string[]
    readonly closed?: readonly string[]
    readonly refund?: readonly string[]
    readonly dispute?: readonly string[]
    /** Known to move nothing of an order: kept, and nothing else. */
    readonly ignored?: readonly string[]
  }
}

export interface StandardWebhooksAccount extends Account {
  readonly kind: 'standard-webhooks'
  /** Which signature the sender uses: a version binds its algorithm. */
  readonly scheme: 'v1' | 'v1a'
  readonly mapping: WebhookMapping
}

export interface AlipayAccount extends Account {
  readonly kind: 'alipay'
  readonly appId: string
  readonly sellerId: string
}

export interface WechatpayAccount extends Account {
  readonly kind: 'wechatpay'
  readonly appId: string
  readonly mchId: string
}

export interface AdyenAccount extends Account {
  readonly kind: 'adyen'
  /** Whose events are ours; the first is where a payment is closed. */
  readonly merchantAccounts: readonly string[]
  /** A live account needs `apiBase`, since its address has a prefix of its own (`https://….adyenpayments.com/checkout`). */
  readonly live: boolean
  /** `manual`: an authorisation is no payment yet, only its capture is. Default: captured with the authorisation. */
  readonly capture?: 'automatic' | 'manual'
}

export interface PaypalAccount extends Account {
  readonly kind: 'paypal'
  /** Id of our webhook in PayPal's app: it is part of what is signed. */
  readonly webhookId: string
  readonly sandbox: boolean
  /** Payee of our events, where they name one. */
  readonly merchantId?: string
  /** Roots that PayPal's certificates must lead to; the public roots of the runtime without it. */
  readonly certRootPems?: readonly string[]
}
