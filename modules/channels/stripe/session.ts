import type { StripeAccount } from '../account.ts'
import { closableAnswer, endedAnswer, foreignAnswer, noAnswer, unknownState, waitOutExpiry } from '../answers.ts'
import type { ClientDeps, PayAttemptRef, QueryAnswer } from '../client.ts'
import { at, idIfOurs, isAbsent, rootOf, wordOf } from '../field.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { callStripe, type StripeResult } from './call.ts'
import type { StripeKeys } from './keys.ts'
import { intentIdOf } from './numbers.ts'
import { parseIntentId } from './read-fields.ts'
import { STRIPE_NOT_FOUND, STRIPE_SESSION_STATES } from './states.ts'

const SESSION_ID = /^cs_[0-9A-Za-z_]{1,200}$/

/** A Checkout Session's id, the channelRef of a try that Checkout takes. */
export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && SESSION_ID.test(text)
}

/** The session's own answer, or the intent that decides. */
export type SessionAnswer =
  | { readonly kind: 'intent'; readonly id: string }
  | { readonly kind: 'answer'; readonly answer: QueryAnswer }

/** Asks a Checkout Session. Source: docs/channels/stripe.md, Trade states and Query */
export async function askSession(
  id: string,
  ref: PayAttemptRef,
  { account, keys, deps }: StripeCall,
): Promise<SessionAnswer> {
  const path = `/v1/checkout/sessions/${encodeURIComponent(id)}`
  const result = await callStripe({ method: 'GET', path }, account, keys, deps)
  if (result.kind === 'object') return readSession(result.object, ref, account)
  const isMissing = result.kind === 'refused' && result.code === STRIPE_NOT_FOUND
  return answered(isMissing ? waitOutExpiry(ref, deps.nowMs(), 'RESOURCE_MISSING') : noAnswer(result.outcome))
}

/** Ends an open session, so that nothing can be paid in it any more; what became of it must be asked. */
export function expireSession(id: string, { account, keys, deps }: StripeCall): Promise<StripeResult> {
  const path = `/v1/checkout/sessions/${encodeURIComponent(id)}/expire`
  return callStripe({ method: 'POST', path, idempotencyKey: `close-${deps.nonce()}` }, account, keys, deps)
}

/** The session that made an intent, if one did: such an intent cannot be cancelled, its session can be expired. */
export async function findSessionOf(
  intentId: string,
  { account, keys, deps }: StripeCall,
): Promise<string | undefined> {
  const parameters = { payment_intent: intentId, limit: '1' }
  const result = await callStripe({ method: 'GET', path: '/v1/checkout/sessions', parameters }, account, keys, deps)
  const data = result.kind === 'object' ? result.object['data'] : undefined
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  const id = isJsonObject(first) ? wordOf(at(rootOf(first), 'id')) : undefined
  return isSessionId(id) ? id : undefined
}

export interface StripeCall {
  readonly account: StripeAccount
  readonly keys: StripeKeys
  readonly deps: ClientDeps
}

function readSession(object: JsonObject, ref: PayAttemptRef, account: StripeAccount): SessionAnswer {
  const session = rootOf(object)
  if ((object['livemode'] ?? account.livemode) !== account.livemode) return answered(foreignAnswer('livemode'))
  // A client_reference_id may be a cart's: only the metadata name an order for certain. The merchant named the session itself.
  const ours = at(session, 'metadata', 'order_no')
  if (!isAbsent(ours) && ours.value !== ref.outTradeNo) return answered(foreignAnswer(ours.path))
  const word = wordOf(at(session, 'status'))
  const intentId = idIfOurs(intentIdOf(session), parseIntentId)
  const state = STRIPE_SESSION_STATES.get(word ?? '')
  switch (state) {
    case 'closable':
      return answered(closableAnswer('SESSION_OPEN'))
    case 'intent':
      // Complete without an intent: a card was stored or a subscription begun, and no money of an order moved.
      return intentId === undefined
        ? answered(noAnswer({ kind: 'unknown', code: 'SESSION_WITHOUT_INTENT' }))
        : { kind: 'intent', id: intentId }
    case 'closed':
      return intentId === undefined
        ? answered(endedAnswer(account.id, ref, 'closed', 'SESSION_EXPIRED'))
        : { kind: 'intent', id: intentId }
    case undefined:
      return answered(unknownState(word))
    default:
      return state satisfies never
  }
}

function answered(answer: QueryAnswer): SessionAnswer {
  return { kind: 'answer', answer }
}
