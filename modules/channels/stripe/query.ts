import type { StripeAccount } from '../account.ts'
import { noAnswer, readAnswer, waitOutExpiry } from '../answers.ts'
import type { QueryPayment } from '../client.ts'
import { callStripe } from './call.ts'
import { canceledAnswer, findIntent } from './find-intent.ts'
import type { StripeKeys } from './keys.ts'
import { parseIntentId } from './read-fields.ts'
import { readIntent } from './read-intent.ts'
import { askSession, isSessionId } from './session.ts'
import { STRIPE_NOT_FOUND } from './states.ts'

/**
 * Asks by the PaymentIntent's id, by the Checkout Session's, which leads to its intent, or without one by our number in its
 * metadata: what the search lists unpaid is asked for by its id, which does not lag.
 * Source: docs/channels/stripe.md, Query
 */
export const queryStripe: QueryPayment<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  if (parseIntentId(ref.channelRef ?? '') !== undefined) return queryIntent(ref, account, keys, deps)
  if (isSessionId(ref.channelRef)) {
    const asked = await askSession(ref.channelRef, ref, { account, keys, deps })
    return asked.kind === 'answer' ? asked.answer : queryIntent({ ...ref, channelRef: asked.id }, account, keys, deps)
  }
  const found = await findIntent(ref, account, keys, deps)
  if (found.kind === 'answer') return found.answer
  const asked = await queryIntent({ ...ref, channelRef: found.id }, account, keys, deps)
  return asked.state === 'closed' ? canceledAnswer(asked, ref, deps.nowMs()) : asked
}

const queryIntent: QueryPayment<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  const path = `/v1/payment_intents/${encodeURIComponent(ref.channelRef ?? '')}`
  const request = { method: 'GET', path, parameters: { 'expand[]': 'latest_charge' } } as const
  const result = await callStripe(request, account, keys, deps)
  if (result.kind === 'object') return readAnswer(() => readIntent(result.object, ref, account))
  if (result.kind === 'refused' && result.code === STRIPE_NOT_FOUND) {
    return waitOutExpiry(ref, deps.nowMs(), 'RESOURCE_MISSING')
  }
  return noAnswer(result.outcome)
}
