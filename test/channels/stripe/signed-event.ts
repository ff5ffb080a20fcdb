import Stripe from 'stripe'
import type { StripeAccount } from '../../../modules/channels/account.ts'
import type { CallbackRequest, Parsed } from '../../../modules/channels/channel.ts'
import { parseStripe } from '../../../modules/channels/stripe/parse.ts'
import { stripeVerifier } from '../../../modules/channels/stripe/verify.ts'
import { CHANNEL, NOW, NOW_SECONDS, requestOf, verifiedOf } from '../message-setup.ts'

export const SECRET = 'whsec_signed_by_their_own_library'
export const ACCOUNT: StripeAccount = { kind: 'stripe', id: CHANNEL, livemode: true }
export const KEYS = stripeVerifier.readKeys(JSON.stringify({ signingSecrets: [SECRET] }))

type Json = Readonly<Record<string, unknown>>

export function anEvent(type: string, object: Json, rest: Json = {}): string {
  return JSON.stringify({ id: 'evt_1', created: NOW_SECONDS - 3, type, livemode: true, data: { object }, ...rest })
}

export const INTENT = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 8800,
  amount_received: 8800,
  currency: 'cny',
  metadata: { order_no: 'ORDER_0001' },
}

/** A request that the sender's own library signed. */
export function sign(payload: string, timestamp: number = NOW_SECONDS, secret: string = SECRET): CallbackRequest {
  return requestOf(
    { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) },
    payload,
  )
}

export function verify(request: CallbackRequest, account: StripeAccount = ACCOUNT) {
  return stripeVerifier.verify(request, account, KEYS, NOW)
}

export function parse(payload: string): Parsed {
  return parseStripe(verifiedOf(verify(sign(payload))), ACCOUNT, KEYS)
}
