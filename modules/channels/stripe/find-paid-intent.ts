import { type ChannelTxnId, parseChannelTxnId } from '../../core/ids.ts'
import type { Outcome } from '../../core/outcome.ts'
import { NOT_THERE } from '../client.ts'
import { at, idIfOurs, rootOf } from '../field.ts'
import { callStripe } from './call.ts'
import { idAt, intentIdOf } from './numbers.ts'
import { parseIntentId } from './read-fields.ts'
import type { StripeCall } from './session.ts'
import { STRIPE_NOT_FOUND } from './states.ts'

/** Where an object is asked for, by the beginning of its id. Source: https://docs.stripe.com/api */
const PATHS: readonly (readonly [prefix: string, path: string])[] = [
  ['ch_', '/v1/charges/'],
  ['py_', '/v1/charges/'],
  ['re_', '/v1/refunds/'],
  ['pyr_', '/v1/refunds/'],
  ['du_', '/v1/disputes/'],
  ['dp_', '/v1/disputes/'],
  ['cs_', '/v1/checkout/sessions/'],
]

/** A refund leads to its charge, and that to its intent. */
const MAX_STEPS = 3

export type FoundIntent =
  | { readonly kind: 'intent'; readonly id: ChannelTxnId }
  | { readonly kind: 'none'; readonly outcome: Outcome }

/** The PaymentIntent that an object belongs to: its own id, or by asking for the object, and for its charge where that names none. */
export async function findPaidIntent(id: ChannelTxnId, call: StripeCall): Promise<FoundIntent> {
  let named: ChannelTxnId | undefined = id
  for (let step = 0; step < MAX_STEPS && named !== undefined; step++) {
    const intentId = parseIntentId(named)
    if (intentId !== undefined) return { kind: 'intent', id: intentId }
    const next = await askForOwner(named, call)
    if (typeof next === 'object') return { kind: 'none', outcome: next }
    named = next
  }
  const intentId = named === undefined ? undefined : parseIntentId(named)
  if (intentId !== undefined) return { kind: 'intent', id: intentId }
  // Money that no PaymentIntent brought is no order's.
  return { kind: 'none', outcome: { kind: 'done', code: 'NO_PAYMENT_INTENT' } }
}

/** The intent or else the charge that an object names; an outcome where it cannot be had. */
async function askForOwner(id: ChannelTxnId, call: StripeCall): Promise<ChannelTxnId | Outcome | undefined> {
  const path = PATHS.find(([prefix]) => id.startsWith(prefix))?.[1]
  if (path === undefined) return { kind: 'rejected', code: 'NO_SUCH_KIND_OF_ID' }
  const { account, keys, deps } = call
  const result = await callStripe({ method: 'GET', path: `${path}${encodeURIComponent(id)}` }, account, keys, deps)
  if (result.kind !== 'object') return notHad(result)
  const object = rootOf(result.object)
  const livemode = at(object, 'livemode').value ?? account.livemode
  if (livemode !== account.livemode) return { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }
  return idIfOurs(intentIdOf(object), parseIntentId) ?? idIfOurs(idAt(object, 'charge'), parseChannelTxnId)
}

/** "Not found" of something that was told to us is not yet an answer. */
export function notHad(result: { readonly kind: string; readonly code?: string; readonly outcome: Outcome }): Outcome {
  return result.kind === 'refused' && result.code === STRIPE_NOT_FOUND
    ? { ...result.outcome, kind: 'notYet', code: NOT_THERE }
    : result.outcome
}
