import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { PaypalAccount } from '../../../../modules/channels/account.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import type { Payment, PaymentEvent } from '../payment.ts'
import { damage, type Protocol } from '../protocol.ts'
import { makeRsaKey, signRsa } from '../rsa.ts'
import { answerPaypal, paypalError } from './api.ts'
import { certify } from './certificate.ts'
import { type CaptureStatus, captureIdOf, formatTime, toCapture } from './resources.ts'

/**
 * 25 more tries in three days; the intervals are not published, these are chosen.
 * Source: docs/channels/paypal.md, Acknowledgement and repeats
 */
const RESEND_AFTER_MS = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45],
  ...[60, 60, 90, 120, 120, 180, 180, 240, 240, 300, 300],
  ...[360, 360, 360, 480, 480],
].map((minutes) => minutes * 60_000)

/** The key that PayPal signs with, and the id and secret of the merchant's app. */
export async function makePaypalKeys(): Promise<Keys> {
  return {
    signingKey: await makeRsaKey(),
    clientId: `A${randomBytes(39).toString('base64url')}`,
    clientSecret: `E${randomBytes(39).toString('base64url')}`,
  }
}

/**
 * PayPal's events and the part of its API that a payment needs. Source: docs/channels/paypal.md
 * @param ownUrl where the certificate is fetched from; asked at each send
 */
export function openPaypalProtocol(account: PaypalAccount, keys: Keys, ownUrl: () => string): Protocol {
  const signingKey = keyOf(keys, 'signingKey')
  const app = { clientId: keyOf(keys, 'clientId'), clientSecret: keyOf(keys, 'clientSecret') }
  const pem = certify(signingKey)
  const certificate = { pem, name: `CERT-360caa42-${createHash('sha256').update(pem).digest('hex').slice(0, 16)}` }

  return {
    secret: JSON.stringify(app),
    paysAgain: true,
    tampers: ['signature', 'amount', 'account'],
    resendAfterMs: RESEND_AFTER_MS,
    // No limit is documented.
    answerTimeoutMs: 30_000,
    isAck: (status) => status >= 200 && status < 300,
    newTxnId: (number) => captureIdOf(app.clientId, number),
    newEventId: (number) => `WH-${captureIdOf(app.clientSecret, number)}`,
    describe: (event, payment, eventId, nowMs) => describe(account, event, payment, eventId, nowMs),
    describePending: (payment, eventId, nowMs) => toEvent(account, 'PENDING', payment, eventId, nowMs),
    encode: (content, _eventId, nowMs, tamper) => {
      const id = randomUUID()
      const time = formatTime(nowMs)
      // An event of another app is signed for that app's webhook.
      const webhookId = tamper === 'account' ? 'WEBHOOK-OF-SOMEBODY-ELSE' : account.webhookId
      const signature = signRsa(signingKey, `${id}|${time}|${webhookId}|${crc32(content)}`)
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'PayPal/AUHR-214.0-58843136',
          'paypal-transmission-id': id,
          'paypal-transmission-time': time,
          'paypal-transmission-sig': tamper === 'signature' ? damage(signature) : signature,
          'paypal-cert-url': `${ownUrl()}/v1/notifications/certs/${certificate.name}`,
          'paypal-auth-algo': 'SHA256withRSA',
        },
        body: tamper === 'amount' ? content.replace(/("value":")/, '$11') : content,
      }
    },
    answer: (request, desk) => answerPaypal({ account, app, certificate }, request, desk),
    throttle: () => paypalError(429, 'RATE_LIMIT_REACHED', 'Too many requests. Blocked due to rate limiting.'),
  }
}

/** An order that runs out is not told. Source: docs/channels/paypal.md, Fields and Close */
function describe(
  account: PaypalAccount,
  event: PaymentEvent,
  payment: Payment,
  eventId: string,
  nowMs: number,
): string | undefined {
  switch (event) {
    case 'paid':
      return toEvent(account, 'COMPLETED', payment, eventId, nowMs)
    case 'failed':
      return toEvent(account, 'DECLINED', payment, eventId, nowMs)
    case 'closed':
      return undefined
    default:
      return event satisfies never
  }
}

/** What the event calls DENIED is DECLINED in the capture. */
const TYPES: Readonly<Record<CaptureStatus, string>> = {
  COMPLETED: 'PAYMENT.CAPTURE.COMPLETED',
  PENDING: 'PAYMENT.CAPTURE.PENDING',
  DECLINED: 'PAYMENT.CAPTURE.DENIED',
}

function toEvent(
  account: PaypalAccount,
  status: CaptureStatus,
  payment: Payment,
  eventId: string,
  nowMs: number,
): string {
  return JSON.stringify({
    id: eventId,
    event_version: '1.0',
    create_time: formatTime(nowMs),
    resource_type: 'capture',
    resource_version: '2.0',
    event_type: TYPES[status],
    resource: toCapture(account, payment, status),
  })
}
