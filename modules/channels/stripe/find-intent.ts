import type { ChannelTxnId } from '../../core/ids.ts'
import { msOf } from '../../core/instant.ts'
import type { StripeAccount } from '../account.ts'
import { closableAnswer, noAnswer, readAnswer } from '../answers.ts'
import type { ClientDeps, PayAttemptRef, QueryAnswer } from '../client.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { callStripe } from './call.ts'
import type { StripeKeys } from './keys.ts'
import { parseIntentId } from './read-fields.ts'
import { readIntent } from './read-intent.ts'

/** What the search leads to: the one intent that may still be paid, to be asked or cancelled by its id, or an answer as it is. */
export type Found =
  | { readonly kind: 'intent'; readonly id: ChannelTxnId }
  | { readonly kind: 'answer'; readonly answer: QueryAnswer }

/** The search shows an intent within an hour of its making. Source: docs/channels/stripe.md, Query */
const SEARCH_LAG_MS = 65 * 60 * 1000

/** An intent made before the payAttempt expired would be listed by now. */
function isPastLag(ref: PayAttemptRef, nowMs: number): boolean {
  return nowMs >= msOf(ref.expiresAt) + SEARCH_LAG_MS
}

/**
 * Looks for our number in the metadata. The list lags by up to an hour, so only what cannot change any more is taken from it:
 * paid, cancelled, and, once that hour is over since the payAttempt expired, that there is nothing. Of several that may still be
 * paid nobody can say which is ours.
 */
export async function findIntent(
  ref: PayAttemptRef,
  account: StripeAccount,
  keys: StripeKeys,
  deps: ClientDeps,
): Promise<Found> {
  // Our numbers have neither quotes nor backslashes in them.
  const query = `metadata['order_no']:'${ref.outTradeNo}'`
  const parameters = { query, limit: '10', 'expand[]': 'data.latest_charge' }
  const path = '/v1/payment_intents/search'
  const result = await callStripe({ method: 'GET', path, parameters }, account, keys, deps)
  if (result.kind !== 'object') return { kind: 'answer', answer: noAnswer(result.outcome) }
  const { data, has_more: hasMore } = result.object
  if (!Array.isArray(data)) return unreadable()
  const listed = data
    .filter(isNamedLike(ref))
    .map((intent) => ({ intent, answer: readAnswer(() => readIntent(intent, ref, account)) }))
  const answers = listed.map(({ answer }) => answer)
  const paid = answers.find(({ event }) => event?.kind === 'payment') ?? answers.find(({ state }) => state === 'paid')
  if (paid !== undefined) return { kind: 'answer', answer: paid }
  const live = listed.filter(({ answer }) => answer.state !== 'closed')
  const [first] = live
  if (live.length > 1 || hasMore === true) {
    const moving = answers.find(({ state }) => state === 'moving')
    return { kind: 'answer', answer: moving ?? waiting('SEARCH_FOUND_SEVERAL') }
  }
  if (first !== undefined) {
    const { id } = first.intent
    const intentId = typeof id === 'string' ? parseIntentId(id) : undefined
    return intentId === undefined ? unreadable() : { kind: 'intent', id: intentId }
  }
  const [canceled] = answers
  const nowMs = deps.nowMs()
  const answer = canceled === undefined ? nothingListed(ref, nowMs) : canceledAnswer(canceled, ref, nowMs)
  return { kind: 'answer', answer }
}

/**
 * The intent that the search named is cancelled. Another that it does not list yet would be the buyer's next try under the same
 * number: until that is ruled out the payAttempt may be closed here, but its questions go on.
 */
export function canceledAnswer(canceled: QueryAnswer, ref: PayAttemptRef, nowMs: number): QueryAnswer {
  return isPastLag(ref, nowMs) ? canceled : closableAnswer('SEARCH_FOUND_CANCELED')
}

function nothingListed(ref: PayAttemptRef, nowMs: number): QueryAnswer {
  return isPastLag(ref, nowMs) ? closableAnswer('SEARCH_FOUND_NOTHING') : waiting('SEARCH_FOUND_NOTHING')
}

function waiting(code: string): QueryAnswer {
  return noAnswer({ kind: 'notYet', code })
}

function unreadable(): Found {
  return { kind: 'answer', answer: noAnswer({ kind: 'unknown', code: 'ANSWER_UNREADABLE' }) }
}

function isNamedLike(ref: PayAttemptRef): (intent: unknown) => intent is JsonObject {
  return (intent): intent is JsonObject => {
    const metadata = isJsonObject(intent) ? intent['metadata'] : undefined
    return isJsonObject(metadata) && metadata['order_no'] === ref.outTradeNo
  }
}
