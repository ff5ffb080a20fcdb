import { randomBytes } from 'node:crypto'
import type { AdyenAccount } from '../../../../modules/channels/account.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import { damage, type Protocol } from '../protocol.ts'
import { adyenError, answerAdyen } from './api.ts'
import { type Item, signItem, toItem } from './item.ts'
import { pspReferenceOf } from './psp-reference.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const LONGEST_MS = 30 * 24 * HOUR
/**
 * Three quick tries, then the queue of the endpoint, its last wait repeated up to 30 days.
 * Source: docs/channels/adyen.md, Acknowledgement and repeats
 */
const QUICK_MS = [9, 18, 27].map((seconds) => seconds * SECOND)
const QUEUE_MS = [2, 5, 10, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE)
const RESEND_AFTER_MS = repeatLast([...QUICK_MS, ...QUEUE_MS], LONGEST_MS)

function repeatLast(waits: readonly number[], longestMs: number): readonly number[] {
  const last = waits.at(-1) ?? longestMs
  const left = longestMs - waits.reduce((total, wait) => total + wait, 0)
  return [...waits, ...Array.from({ length: Math.floor(left / last) }, () => last)]
}

/** The endpoint's HMAC key and an API key. */
export function makeAdyenKeys(): Keys {
  return {
    hmacKey: randomBytes(32).toString('hex').toUpperCase(),
    apiKey: `AQE${randomBytes(48).toString('base64url')}`,
  }
}

/** Adyen's standard webhooks and the part of Checkout that a payment needs. Source: docs/channels/adyen.md */
export function openAdyenProtocol(account: AdyenAccount, keys: Keys): Protocol {
  const hmacKey = keyOf(keys, 'hmacKey')
  const apiKey = keyOf(keys, 'apiKey')

  return {
    secret: JSON.stringify({ hmacKeys: [hmacKey], apiKey }),
    paysAgain: true,
    tampers: ['signature', 'amount', 'account', 'livemode'],
    resendAfterMs: RESEND_AFTER_MS,
    queuedAfterSends: QUICK_MS.length + 1,
    answerTimeoutMs: 10 * SECOND,
    isAck: (status) => status >= 200 && status < 300,
    newTxnId: (number) => pspReferenceOf(hmacKey, number),
    newEventId: (number) => pspReferenceOf(hmacKey, number),
    describe: (event, payment, eventId, nowMs) => JSON.stringify(toItem(account, event, payment, eventId, nowMs)),
    encode: (content, _eventId, _nowMs, tamper) => {
      const told: Item = JSON.parse(content)
      const item = tamper === 'account' ? { ...told, merchantAccountCode: 'AccountOfSomebodyElse' } : told
      const signature = signItem(item, hmacKey)
      const { value, currency } = item.amount
      const sent = {
        ...item,
        amount: { value: tamper === 'amount' ? value * 10 : value, currency },
        additionalData: { hmacSignature: tamper === 'signature' ? damage(signature) : signature },
      }
      const live = tamper === 'livemode' ? !account.live : account.live
      return {
        headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Adyen HttpClient 1.0' },
        body: toBody({ live: String(live), notificationItems: [{ NotificationRequestItem: sent }] }),
      }
    },
    answer: (request, desk) => answerAdyen({ account, apiKey }, request, desk),
    throttle: () => adyenError(429, '029', 'validation', 'Too many requests.'),
  }
}

/** Adyen writes each slash as `\/`. Source: docs/channels/adyen.md, Callback */
function toBody(message: object): string {
  return JSON.stringify(message).replaceAll('/', '\\/')
}
