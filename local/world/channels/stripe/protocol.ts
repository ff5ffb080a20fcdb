import { randomBytes } from 'node:crypto'
import { Stripe } from 'stripe'
import type { StripeAccount } from '../../../../modules/channels/account.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import type { Payment, PaymentEvent } from '../payment.ts'
import { damage, type Protocol } from '../protocol.ts'
import { answerStripe, stripeError } from './api.ts'
import { idOf, toIntent } from './intent.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/**
 * Three more tries over a few hours; the intervals are not published, these are chosen.
 * Source: docs/channels/stripe.md, Acknowledgement and repeats
 */
const SANDBOX_RESEND_AFTER_MS = [5 * MINUTE, HOUR, 3 * HOUR]
/** Exponential over up to three days; likewise. */
const LIVE_RESEND_AFTER_MS = [5, 15, 60, 180, 360, 720, 1440, 1440].map((minutes) => minutes * MINUTE)
const API_VERSION = '2026-10-28.endive'

/** The endpoint's signing secret and a secret API key. */
export function makeStripeKeys(account: StripeAccount): Keys {
  return {
    signingSecret: `whsec_${randomBytes(24).toString('hex')}`,
    apiKey: `sk_${account.livemode ? 'live' : 'test'}_${randomBytes(24).toString('hex')}`,
  }
}

/** Stripe's events and PaymentIntents, as far as a payment needs them. Source: docs/channels/stripe.md */
export function openStripeProtocol(account: StripeAccount, keys: Keys): Protocol {
  const secret = keyOf(keys, 'signingSecret')
  const apiKey = keyOf(keys, 'apiKey')

  return {
    secret: JSON.stringify({ signingSecrets: [secret], apiKey }),
    paysAgain: true,
    tampers: ['signature', 'amount', 'account', 'livemode'],
    resendAfterMs: account.livemode ? LIVE_RESEND_AFTER_MS : SANDBOX_RESEND_AFTER_MS,
    answerTimeoutMs: 10_000,
    isAck: (status) => status >= 200 && status < 300,
    newTxnId: (number) => idOf('pi', secret, number),
    newEventId: (number) => idOf('evt', secret, number),
    describe: (event, payment, eventId, nowMs) =>
      // Stripe sends its events pretty-printed: whoever verifies over re-serialised JSON fails at once.
      JSON.stringify(describe(account, event, payment, eventId, nowMs), undefined, 2),
    encode: (content, _eventId, nowMs, tamper) => {
      const payload = foreign(content, tamper, account.livemode)
      const timestamp = Math.floor(nowMs / 1000)
      const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
      return {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature':
            tamper === 'signature' ? header.replace(/v1=(\w+)/, (_, hex) => `v1=${damage(hex)}`) : header,
        },
        body: tamper === 'amount' ? payload.replace(/("amount_received": \d+)/, '$10') : payload,
      }
    },
    answer: (request, desk) => answerStripe({ apiKey, livemode: account.livemode }, request, desk),
    throttle: () =>
      stripeError(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' }),
  }
}

const TYPES: Readonly<Record<PaymentEvent, string>> = {
  paid: 'payment_intent.succeeded',
  failed: 'payment_intent.payment_failed',
  closed: 'payment_intent.canceled',
}

function describe(
  account: StripeAccount,
  event: PaymentEvent,
  payment: Payment,
  eventId: string,
  nowMs: number,
): object {
  return {
    id: eventId,
    object: 'event',
    ...(account.account !== undefined && { account: account.account }),
    api_version: API_VERSION,
    created: Math.floor(nowMs / 1000),
    data: { object: toIntent(payment, account.livemode) },
    livemode: account.livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: TYPES[event],
  }
}

/** An event that Stripe signed for somebody else: a connected account, or the other mode. */
function foreign(content: string, tamper: string | undefined, livemode: boolean): string {
  if (tamper !== 'account' && tamper !== 'livemode') return content
  const change = tamper === 'account' ? { account: 'acct_of_somebody_else' } : { livemode: !livemode }
  return JSON.stringify({ ...JSON.parse(content), ...change }, undefined, 2)
}
