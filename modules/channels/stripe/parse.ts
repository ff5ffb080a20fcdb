import { type ChannelTxnId, type OutTradeNo, parseOutTradeNo, parseRefundNo } from '../../core/ids.ts'
import type { StripeAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, isAbsent, readId, readOptionalId, readUnixTime, rootOf, wordOf } from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readNotice } from '../notice.ts'
import type { StripeKeys } from './keys.ts'
import { parseIntentId, readStripeMoney } from './read-fields.ts'

/** Reads a verified Stripe event. Source: docs/channels/stripe.md, Event types */
export const parseStripe: CallbackParser<StripeAccount, StripeKeys> = ({ channel, body }) => {
  const event = parseJsonObject(body)
  if (event === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a JSON object' }
  }
  return readNotice(channel, eventIdOf(event['id'], body), () => readEvent(rootOf(event)))
}

function readEvent(event: Field): Fact {
  const object = at(event, 'data', 'object')
  switch (wordOf(at(event, 'type'))) {
    case 'payment_intent.succeeded':
      return {
        kind: 'payment',
        channelTxnId: readId(at(object, 'id'), parseIntentId),
        outTradeNo: orderNumberOf(object),
        money: readStripeMoney(object, 'amount_received'),
        paidAt: readUnixTime(at(event, 'created')),
      }
    case 'payment_intent.canceled':
      return {
        kind: 'closed',
        channelTxnId: readId(at(object, 'id'), parseIntentId),
        outTradeNo: orderNumberOf(object),
      }
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(event, object)
    case 'charge.refunded':
      return {
        kind: 'refund',
        channelTxnId: intentOf(object),
        outTradeNo: orderNumberOf(object),
        money: readStripeMoney(object, 'amount_refunded'),
        cumulative: true,
      }
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return wordOf(at(object, 'status')) === 'succeeded' ? readRefund(object) : hintOf(object)
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return { kind: 'dispute', channelTxnId: intentOf(object), money: readStripeMoney(object, 'amount') }
    // payment_intent.payment_failed is no end: the same intent can still succeed after a refused card. Nor does a
    // failed or expired session say that its intent is dead. refund.failed names a refund that the ledger must ask about.
    default:
      return hintOf(object)
  }
}

function readSession(event: Field, session: Field): Fact {
  // `no_payment_required`, and sessions that only set up a card or a subscription, have moved no money of an intent.
  const isPaid = wordOf(at(session, 'payment_status')) === 'paid' && wordOf(at(session, 'mode')) !== 'subscription'
  if (!isPaid) return hintOf(session)
  return {
    kind: 'payment',
    channelTxnId: intentOf(session),
    outTradeNo: orderNumberOf(session),
    money: readStripeMoney(session, 'amount_total'),
    paidAt: readUnixTime(at(event, 'created')),
  }
}

function readRefund(refund: Field): Fact {
  return {
    kind: 'refund',
    channelTxnId: intentOf(refund),
    refundNo: idIfOurs(at(refund, 'metadata', 'refund_no'), parseRefundNo),
    channelRefundId: readId(at(refund, 'id'), parseKeyPart),
    money: readStripeMoney(refund, 'amount'),
    cumulative: false,
  }
}

/** Which payment an event without a fact of its own is about, as far as it says so. */
function hintOf(object: Field): Fact {
  return {
    kind: 'other',
    channelTxnId: idIfOurs(at(object, 'id'), parseIntentId) ?? idIfOurs(at(object, 'payment_intent'), parseIntentId),
    outTradeNo: idIfOurs(at(object, 'metadata', 'order_no'), parseOutTradeNo),
    refundNo: idIfOurs(at(object, 'metadata', 'refund_no'), parseRefundNo),
  }
}

function intentOf(object: Field): ChannelTxnId {
  return readId(at(object, 'payment_intent'), parseIntentId)
}

function orderNumberOf(object: Field): OutTradeNo | undefined {
  const ours = at(object, 'metadata', 'order_no')
  return readOptionalId(isAbsent(ours) ? at(object, 'client_reference_id') : ours, parseOutTradeNo)
}
