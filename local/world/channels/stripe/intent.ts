import { createHash } from 'node:crypto'
import type { Payment } from '../payment.ts'

/** Stripe counts these otherwise than ISO 4217: hundredths of a króna, whole ariary. Source: docs/channels/README.md, Amounts */
const FACTORS: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 0.01 }

/** ISO minor units in Stripe's units. */
export function toStripeAmount(amount: number, currency: string): number {
  return Math.round(amount * (FACTORS[currency] ?? 1))
}

/** Stripe's units in ISO minor units. */
export function fromStripeAmount(amount: number, currency: string): number {
  return Math.round(amount / (FACTORS[currency] ?? 1))
}

/** An id like Stripe's: prefix and 24 characters, the same for the same number. */
export function idOf(prefix: string, secret: string, number: number): string {
  return `${prefix}_3${createHash('sha256').update(`${prefix}|${secret}|${number}`).digest('hex').slice(0, 23)}`
}

/** The PaymentIntent of a payment. Source: docs/channels/stripe.md, Fields and Query */
export function toIntent(payment: Payment, livemode: boolean): object {
  const id = payment.channelTxnId ?? ''
  const currency = payment.paidCurrency ?? payment.currency
  const amount = toStripeAmount(payment.paidAmount ?? payment.amount, currency)
  const isPaid = payment.status === 'paid'
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: 0,
    amount_received: isPaid ? amount : 0,
    canceled_at: payment.closedAt === undefined ? null : Math.floor(payment.closedAt / 1000),
    cancellation_reason: payment.status === 'closed' ? 'abandoned' : null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${id.slice(-8)}`,
    created: Math.floor(payment.createdAt / 1000),
    currency: currency.toLowerCase(),
    last_payment_error:
      payment.failedAt === undefined || payment.status !== 'open'
        ? null
        : { code: 'card_declined', decline_code: 'generic_decline', type: 'card_error' },
    latest_charge: isPaid ? id.replace('pi_', 'ch_') : null,
    livemode,
    metadata: { order_no: payment.outTradeNo },
    payment_method_types: ['card'],
    status: { open: 'requires_payment_method', paid: 'succeeded', closed: 'canceled' }[payment.status],
  }
}
