import type { StripeAccount } from '../../../modules/channels/account.ts'
import type { PayAttemptRef } from '../../../modules/channels/client.ts'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { readStripeKeys } from '../../../modules/channels/stripe/keys.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering, aRef } from '../client-setup.ts'
import { CHANNEL } from '../message-setup.ts'

export const ACCOUNT: StripeAccount = { kind: 'stripe', id: CHANNEL, livemode: false }
export const CLIENT_SECRET = JSON.stringify({ signingSecrets: ['whsec_0123456789'], apiKey: 'rk_test_0123456789' })
export const KEYS = readStripeKeys(CLIENT_SECRET)

export const INTENT_ID = 'pi_3Test0000000000000001'
export const REF = aRef({ channelRef: INTENT_ID })

export const INTENT = {
  id: INTENT_ID,
  object: 'payment_intent',
  livemode: false,
  status: 'succeeded',
  amount: 10000,
  amount_received: 10000,
  currency: 'cny',
  created: 1_793_584_000,
  latest_charge: { id: 'ch_1', created: 1_793_584_797, refunded: false, amount_refunded: 0 },
  metadata: { order_no: 'ORDER_0001' },
}

export function intent(changes: Readonly<Record<string, unknown>> = {}): HttpResult {
  return anAnswer(200, JSON.stringify({ ...INTENT, ...changes }))
}

export function refusal(status: number, error: unknown, headers: Readonly<Record<string, string>> = {}): HttpResult {
  return anAnswer(status, JSON.stringify({ error }), headers)
}

export function unexpectedState(status: string): HttpResult {
  const found = { ...INTENT, status, latest_charge: 'ch_1' }
  return refusal(400, { code: 'payment_intent_unexpected_state', type: 'invalid_request_error', payment_intent: found })
}

export function found(...intents: readonly unknown[]): HttpResult {
  return anAnswer(200, JSON.stringify({ object: 'search_result', data: intents, has_more: false }))
}

export function query(ref: PayAttemptRef = REF, ...results: readonly HttpResult[]) {
  return queryStripe(ref, ACCOUNT, KEYS, answering(...results))
}

export function close(ref: PayAttemptRef = REF, ...results: readonly HttpResult[]) {
  return closeStripe(ref, ACCOUNT, KEYS, answering(...results))
}
