import { msOf } from '../../core/instant.ts'
import type { StripeAccount } from '../account.ts'
import { closableAnswer, noAnswer, readAnswer, waitOutExpiry } from '../answers.ts'
import type { ClientDeps, PayAttemptRef, QueryAnswer, QueryPayment } from '../client.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { callStripe } from './call.ts'
import type { StripeKeys } from './keys.ts'
import { parseIntentId } from './read-fields.ts'
import { readIntent } from './read-intent.ts'
import { STRIPE_NOT_FOUND } from './states.ts'

/** Asks by the PaymentIntent's id, or without one by our number in its metadata (C063). Source: channels.md 4.4 */
export const queryStripe: QueryPayment<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  const id = parseIntentId(ref.channelRef ?? '')
  if (id === undefined) return searchStripe(ref, account, keys, deps)
  const path = `/v1/payment_intents/${encodeURIComponent(id)}`
  const request = { method: 'GET', path, parameters: { 'expand[]': 'latest_charge' } } as const
  const result = await callStripe(request, account, keys, deps)
  if (result.kind === 'object') return readAnswer(() => readIntent(result.object, ref, account))
  if (result.kind === 'refused' && result.code === STRIPE_NOT_FOUND) {
    return waitOutExpiry(ref, deps.nowMs(), 'RESOURCE_MISSING')
  }
  return noAnswer(result.outcome)
}

/** The search shows an intent within an hour of its making. Source: channels.md 4.4 */
const SEARCH_LAG_MS = 65 * 60 * 1000

/** An intent made before the payAttempt expired would be listed by now: the cashier never made one. */
function isPastLag(ref: PayAttemptRef, nowMs: number): boolean {
  return nowMs >= msOf(ref.expiresAt) + SEARCH_LAG_MS
}

/**
 * The search lags by up to an hour, so only what cannot change any more is taken from it: paid, and, once that hour is over since
 * the payAttempt expired, an empty list. An intent that is listed unpaid can still be paid and never closes.
 */
async function searchStripe(
  ref: PayAttemptRef,
  account: StripeAccount,
  keys: StripeKeys,
  deps: ClientDeps,
): Promise<QueryAnswer> {
  // Our numbers have neither quotes nor backslashes in them.
  const query = `metadata['order_no']:'${ref.outTradeNo}'`
  const parameters = { query, limit: '10', 'expand[]': 'data.latest_charge' }
  const result = await callStripe(
    { method: 'GET', path: '/v1/payment_intents/search', parameters },
    account,
    keys,
    deps,
  )
  if (result.kind !== 'object') return noAnswer(result.outcome)
  const { data } = result.object
  if (!Array.isArray(data)) return noAnswer({ kind: 'unknown', code: 'ANSWER_UNREADABLE' })
  const answers = data.filter(isNamedLike(ref)).map((intent) => readAnswer(() => readIntent(intent, ref, account)))
  return (
    answers.find(({ event }) => event?.kind === 'payment') ??
    answers.find(({ state }) => state === 'paid') ??
    answers.find(({ state }) => state === 'moving') ??
    (answers.length === 0 && isPastLag(ref, deps.nowMs())
      ? closableAnswer('SEARCH_FOUND_NOTHING')
      : noAnswer({ kind: 'notYet', code: answers.length === 0 ? 'SEARCH_FOUND_NOTHING' : 'SEARCH_FOUND_UNPAID' }))
  )
}

function isNamedLike(ref: PayAttemptRef): (intent: unknown) => intent is JsonObject {
  return (intent): intent is JsonObject => {
    const metadata = isJsonObject(intent) ? intent['metadata'] : undefined
    return isJsonObject(metadata) && metadata['order_no'] === ref.outTradeNo
  }
}
