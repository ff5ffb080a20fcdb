import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { PUBLIC_PEM, signForm, PAYMENT as TRADE } from '../channels/alipay/signed-notice.ts'

/** A notice as its channel sends it: sending it again sends the same bytes. */
export interface Notice {
  readonly channel: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const PARTNER_SECRET = `whsec_${randomBytes(32).toString('base64')}`
const STRIPE_SECRET = `whsec_${randomBytes(24).toString('hex')}`

/** The channels' secrets by their path in the CDK app, in the form of docs/guide.md. */
export const channelSecrets = {
  'Secrets/Channel-partner': JSON.stringify({ secrets: [PARTNER_SECRET] }),
  'Secrets/Channel-stripe': JSON.stringify({ signingSecrets: [STRIPE_SECRET] }),
  'Secrets/Channel-alipay': JSON.stringify({ alipayPublicKeys: [PUBLIC_PEM] }),
}

/** What a buyer paid at the partner; `txn` is the partner's number of it. */
export interface PartnerPayment {
  readonly outTradeNo: string
  readonly txn: string
  readonly amount?: number
  readonly currency?: string
  readonly type?: string
  /** `webhook-id`; one per event. */
  readonly id?: string
  /** Fields that the mapping does not know. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly secret?: string
}

/** A notice that the reference library of Standard Webhooks signed. @param nowMs of the stack's clock */
export function partnerNotice(payment: PartnerPayment, nowMs: number): Notice {
  const { outTradeNo, txn, amount = 8800, currency = 'CNY', type = 'payment.succeeded', more } = payment
  const { id = `msg_${type}_${txn}`.replaceAll('.', '_'), secret = PARTNER_SECRET } = payment
  const data = { order_no: outTradeNo, transaction_id: txn, amount, currency, ...more }
  const body = JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data })
  return { channel: 'partner', headers: signHeaders(id, nowMs, body, secret), body }
}

/** The same event sent again later: the same id and bytes, signed at its own time. */
export function signedAgain({ channel, headers, body }: Notice, nowMs: number): Notice {
  return { channel, headers: signHeaders(headers['webhook-id'] ?? '', nowMs, body, PARTNER_SECRET), body }
}

function signHeaders(id: string, nowMs: number, body: string, secret: string): Notice['headers'] {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(nowMs), body),
  }
}

export interface StripePayment {
  readonly outTradeNo: string
  /** `pi_…` */
  readonly intent: string
  readonly type?: string
  readonly livemode?: boolean
  /** A connected account, `acct_…`. */
  readonly account?: string
}

/** An event that Stripe's own library signed. @param nowMs of the stack's clock */
export function stripeNotice(payment: StripePayment, nowMs: number): Notice {
  const { outTradeNo, intent, type = 'payment_intent.succeeded', livemode = false, account } = payment
  const timestamp = Math.floor(nowMs / 1000)
  const object = {
    id: intent,
    object: 'payment_intent',
    amount: 8800,
    amount_received: type === 'payment_intent.succeeded' ? 8800 : 0,
    currency: 'cny',
    metadata: { order_no: outTradeNo },
  }
  const id = `evt_${type}_${intent}`.replaceAll('.', '_')
  const payload = JSON.stringify({ id, object: 'event', created: timestamp, type, livemode, account, data: { object } })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRET, timestamp })
  return {
    channel: 'stripe',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  }
}

/** A trade notice of Alipay over 88.00 yuan, in its form encoding. */
export function alipayNotice(change: Readonly<Record<string, string>>): Notice {
  const body = new URLSearchParams(signForm({ ...TRADE, ...change })).toString()
  return { channel: 'alipay', headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body }
}
