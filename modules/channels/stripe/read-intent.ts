import type { StripeAccount } from '../account.ts'
import {
  closableAnswer,
  endedAnswer,
  foreignAnswer,
  movingAnswer,
  noAnswer,
  paidAnswer,
  refundedAnswer,
  unknownState,
} from '../answers.ts'
import type { PayAttemptRef, QueryAnswer } from '../client.ts'
import { at, type Field, isAbsent, orAbsent, readId, readUnixTime, rootOf, wordOf } from '../field.ts'
import type { JsonObject } from '../json.ts'
import type { Fact } from '../notice.ts'
import { parseIntentId, readStripeMoney } from './read-fields.ts'
import { STRIPE_STATES } from './states.ts'

/**
 * What a PaymentIntent says of our payAttempt.
 * @throws UnreadableFieldError
 * Source: docs/channels/stripe.md, Trade states
 */
export function readIntent(object: JsonObject, ref: PayAttemptRef, account: StripeAccount): QueryAnswer {
  const intent = rootOf(object)
  if ((object['livemode'] ?? account.livemode) !== account.livemode) return foreignAnswer('livemode')
  // An id that was stored with the wrong order must not bring another order's money to it.
  const ours = at(intent, 'metadata', 'order_no')
  if (!isAbsent(ours) && ours.value !== ref.outTradeNo) return foreignAnswer(ours.path)
  const word = wordOf(at(intent, 'status'))
  const state = STRIPE_STATES.get(word ?? '')
  switch (state) {
    case 'paid':
      // A card that was stored: no money is no payment.
      if (at(intent, 'amount_received').value === 0) return noAnswer({ kind: 'unknown', code: 'AMOUNT_0' })
      return isGivenBack(intent) ? refundedAnswer() : paidAnswer(account.id, ref, readPayment(intent))
    case 'closable':
      return closableAnswer(word?.toUpperCase() ?? '')
    case 'moving':
      return movingAnswer(word?.toUpperCase() ?? '')
    case 'closed':
      return endedAnswer(account.id, ref, 'closed', word?.toUpperCase() ?? '')
    case undefined:
      return unknownState(word)
    default:
      return state satisfies never
  }
}

// Refunds show on the charge, and `refunded` is true only when all of it went back.
function isGivenBack(intent: Field): boolean {
  return at(intent, 'latest_charge', 'refunded').value === true
}

/** That a succeeded intent was paid. A card that was stored is no payment. @throws UnreadableFieldError */
export function readPaidIntent(object: JsonObject): Fact | undefined {
  const intent = rootOf(object)
  if (STRIPE_STATES.get(wordOf(at(intent, 'status')) ?? '') !== 'paid') return undefined
  return at(intent, 'amount_received').value === 0 ? undefined : readPayment(intent)
}

function readPayment(intent: Field) {
  // `created` of the intent is when it was ordered; the charge's is when it was paid, and is there only when expanded.
  const paidAt = at(intent, 'latest_charge', 'created')
  return {
    kind: 'payment',
    channelTxnId: readId(at(intent, 'id'), parseIntentId),
    money: readStripeMoney(intent, 'amount_received'),
    paidAt: orAbsent(() => readUnixTime(paidAt)),
  } as const satisfies Fact
}
