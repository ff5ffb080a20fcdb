import { expect, it } from 'vitest'
import { MAX_SIGNATURES } from '../../modules/channels/standard-webhooks/verify.ts'
import { MAX_HEADER_ITEMS } from '../../modules/channels/stripe/signature-header.ts'
import { requestOf } from './message-setup.ts'
import * as partner from './standard-webhooks/signed-webhook.ts'
import * as stripe from './stripe/signed-event.ts'

const BODY = stripe.anEvent('payment_intent.succeeded', stripe.INTENT)

/** A genuine event whose header holds `count` items: time, the good signature, and others beside them. */
function stripeOf(count: number) {
  const { headers } = stripe.sign(BODY)
  const others = Array.from({ length: count - 2 }, () => `v1=${'0'.repeat(64)}`)
  return stripe.verify(requestOf({ 'stripe-signature': [headers['stripe-signature'], ...others].join(',') }, BODY))
}

/** The same of a Standard Webhooks sender. */
function partnerOf(count: number) {
  const payload = partner.aMessage('paid')
  const { headers } = partner.sign(payload)
  const others = Array.from({ length: count - 1 }, () => `v1,${Buffer.alloc(32).toString('base64')}`)
  const list = [...others, headers['webhook-signature']].join(' ')
  return partner.verify(requestOf({ ...headers, 'webhook-signature': list }, payload))
}

it.each([
  ['Stripe', MAX_HEADER_ITEMS, stripeOf],
  ['a Standard Webhooks sender', MAX_SIGNATURES, partnerOf],
])(
  'a signature header of %s is read up to %i items and malformed beyond, though a good one is among them',
  (_who, limit, verify) => {
    expect(verify(limit)).toMatchObject({ ok: true })
    expect(verify(limit + 1)).toEqual({ ok: false, reason: 'malformed' })
  },
)
