import type { StripeAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf } from '../event-id.ts'
import { at, type Field, orAbsent, readId, readUnixTime, rootOf, wordOf } from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readFacts } from '../notice.ts'
import type { StripeKeys } from './keys.ts'
import { intentIdOf, numbersOf, orderNumberOf } from './numbers.ts'
import { parseIntentId, readStripeMoney } from './read-fields.ts'
import { readThinEvent } from './read-thin-event.ts'
import { readChargeRefunds, readDispute, readRefund, type Told } from './read-undo.ts'
import { STRIPE_RECORDED } from './recorded-types.ts'

/** Reads a verified Stripe event, of any API version. Source: docs/channels/stripe.md, Event types */
export const parseStripe: CallbackParser<StripeAccount, StripeKeys> = ({ channel, body }) => {
  const event = parseJsonObject(body)
  if (event === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a JSON object' }
  }
  const root = rootOf(event)
  const isMoney = PAYMENTS.has(wordOf(at(root, 'type')) ?? '')
  const known = { ...numbersOf(at(root, 'data', 'object')), isMoney }
  return readFacts(channel, [{ eventId: eventIdOf(event['id'], body), read: () => readEvent(root), known }])
}

const PAYMENTS: ReadonlySet<string> = new Set([
  'payment_intent.succeeded',
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
])

function readEvent(event: Field): Fact {
  const type = wordOf(at(event, 'type'))
  if (wordOf(at(event, 'object')) === 'v2.core.event') return readThinEvent(type, event)
  const object = at(event, 'data', 'object')
  switch (type) {
    case 'payment_intent.succeeded':
      return readPayment(event, object, readId(at(object, 'id'), parseIntentId), 'amount_received')
    case 'payment_intent.canceled':
      return {
        kind: 'closed',
        channelTxnId: readId(at(object, 'id'), parseIntentId),
        outTradeNo: orderNumberOf(object),
      }
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(event, object)
    // Says nothing of an intent: the try is asked.
    case 'checkout.session.expired':
      return { ...numbersOf(object), kind: 'closed', trust: 'hint' }
    case 'charge.refunded':
      return readChargeRefunds(toldBy(type, event), object)
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return readRefund(toldBy(type, event), object)
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return readDispute(toldBy(type, event), object)
    default: {
      const isKnown = type !== undefined && STRIPE_RECORDED.has(type)
      return isKnown
        ? { ...numbersOf(object), kind: 'other' }
        : { ...numbersOf(object), kind: 'unknown', code: channelCodeOf(type) }
    }
  }
}

function toldBy(word: string, event: Field): Told {
  return { word, at: orAbsent(() => readUnixTime(at(event, 'created'))) }
}

function readSession(event: Field, session: Field): Fact {
  // `no_payment_required`, and sessions that only set up a card or a subscription, have moved no money of an intent.
  const isPaid = wordOf(at(session, 'payment_status')) === 'paid' && wordOf(at(session, 'mode')) !== 'subscription'
  if (!isPaid || at(session, 'amount_total').value === 0) return { ...numbersOf(session), kind: 'other' }
  return readPayment(event, session, readId(intentIdOf(session), parseIntentId), 'amount_total')
}

function readPayment(
  event: Field,
  object: Field,
  channelTxnId: NonNullable<Fact['channelTxnId']>,
  amountName: string,
): Fact {
  const money = readStripeMoney(object, amountName)
  const numbers = { channelTxnId, outTradeNo: orderNumberOf(object) }
  // A card that was stored, or a trial: no money is no payment.
  if (money.amount === 0) return { ...numbers, kind: 'other', code: 'AMOUNT_0' }
  return { ...numbers, kind: 'payment', money, paidAt: orAbsent(() => readUnixTime(at(event, 'created'))) }
}
