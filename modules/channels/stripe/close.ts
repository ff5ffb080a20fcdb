import type { StripeAccount } from '../account.ts'
import { noAnswer, nothingToClose, readAnswer } from '../answers.ts'
import type { CloseAnswer, ClosePayment, PayAttemptRef } from '../client.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { callStripe } from './call.ts'
import { canceledAnswer, findIntent } from './find-intent.ts'
import type { StripeKeys } from './keys.ts'
import { queryStripe } from './query.ts'
import { parseIntentId } from './read-fields.ts'
import { readIntent } from './read-intent.ts'
import { expireSession, findSessionOf, isSessionId, type StripeCall } from './session.ts'
import { STRIPE_NOT_FOUND, STRIPE_STATES, STRIPE_UNEXPECTED_STATE } from './states.ts'

/**
 * Cancels the PaymentIntent, or expires the Checkout Session that made it. One that cannot be cancelled any more comes with the
 * refusal, and its state counts.
 * Without a `pi_` the one that the search finds is cancelled, and asked for by its id: a search would still list it as it was.
 * Source: docs/channels/stripe.md, Close
 */
export const closeStripe: ClosePayment<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  if (parseIntentId(ref.channelRef ?? '') !== undefined) return cancelIntent(ref, account, keys, deps)
  if (isSessionId(ref.channelRef)) return endSession(ref.channelRef, ref, { account, keys, deps })
  const found = await findIntent(ref, account, keys, deps)
  if (found.kind === 'answer') return found.answer
  const named = { ...ref, channelRef: found.id }
  const canceled = await cancelIntent(named, account, keys, deps)
  if (canceled.state !== 'closed') return canceled
  const after = settled(await queryStripe(named, account, keys, deps))
  return after.state === 'closed' ? canceledAnswer(after, ref, deps.nowMs()) : after
}

const cancelIntent: ClosePayment<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  const path = `/v1/payment_intents/${encodeURIComponent(ref.channelRef ?? '')}/cancel`
  // A new key each time: an old one would bring back the stored answer for a day, with the state of then. Cancelling twice is
  // harmless without it.
  const request = { method: 'POST', path, idempotencyKey: `close-${deps.nonce()}` } as const
  const result = await callStripe(request, account, keys, deps)
  if (result.kind === 'object') return settled(readAnswer(() => readIntent(result.object, ref, account)))
  if (result.kind === 'refused' && result.code === STRIPE_NOT_FOUND) {
    return nothingToClose(ref, deps.nowMs(), 'RESOURCE_MISSING')
  }
  // Checkout takes back only its own: a session made this intent, and can be ended.
  if (result.kind === 'refused' && result.outcome.httpStatus === 400 && mayBeOfCheckout(result.error)) {
    const sessionId = await findSessionOf(ref.channelRef ?? '', { account, keys, deps })
    if (sessionId !== undefined) return endSession(sessionId, ref, { account, keys, deps })
  }
  const embedded = result.kind === 'refused' ? result.error['payment_intent'] : undefined
  if (result.kind !== 'refused' || result.code !== STRIPE_UNEXPECTED_STATE || !isJsonObject(embedded)) {
    return noAnswer(result.outcome)
  }
  const found = settled(readAnswer(() => readIntent(embedded, ref, account)))
  if (found.state !== 'paid') return found
  // The refusal does not say when it was paid, nor whether it was given back since.
  const asked = await queryStripe(ref, account, keys, deps)
  return asked.state === 'paid' ? asked : found
}

/** Whether the refusal leaves the intent payable, or does not say: so Stripe refuses to cancel what Checkout made. */
function mayBeOfCheckout({ payment_intent: intent, message }: JsonObject): boolean {
  if (typeof message === 'string' && /checkout/i.test(message)) return true
  return isJsonObject(intent) && STRIPE_STATES.get(String(intent['status'])) === 'closable'
}

/** Expires the session, then asks for it: also when it was no longer open, since then it may have been paid. */
async function endSession(sessionId: string, ref: PayAttemptRef, call: StripeCall): Promise<CloseAnswer> {
  const { account, keys, deps } = call
  const result = await expireSession(sessionId, call)
  if (result.kind === 'refused' && result.code === STRIPE_NOT_FOUND) {
    return nothingToClose(ref, deps.nowMs(), 'RESOURCE_MISSING')
  }
  const isOver = result.kind === 'refused' && ONLY_OPEN.test(String(result.error['message'] ?? ''))
  if (result.kind !== 'object' && !isOver) return noAnswer(result.outcome)
  return settled(await queryStripe({ ...ref, channelRef: sessionId }, account, keys, deps))
}

/** The refusal has no code of its own. Source: docs/channels/stripe.md, Result codes of close */
const ONLY_OPEN = /only checkout sessions with a status in \["open"\] can be expired/i

/** After a cancel, "still closable" contradicts itself: no answer. */
function settled(answer: CloseAnswer): CloseAnswer {
  const code = answer.outcome.code ?? 'STATE_MISSING'
  return answer.state === 'closable' ? noAnswer({ kind: 'unknown', code: `STILL_${code}` }) : answer
}
