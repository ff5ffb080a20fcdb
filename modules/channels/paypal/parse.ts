import { parseChannelTxnId } from '../../core/ids.ts'
import type { PaypalAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, orAbsent, readId, readTime, rootOf, wordOf } from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readNotice } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { PAYPAL_EVENTS } from './events.ts'
import type { PaypalKeys } from './keys.ts'
import { captureLinkedFrom, firstOf, readOwnNumber, readPaypalMoney } from './read-fields.ts'

/**
 * Reads a verified event. All of it is a hint, for only a CRC of the body is signed: it says what to ask about. So a figure that
 * cannot be read costs nothing but itself, and only the number to ask by must be there.
 * Source: docs/channels/paypal.md, Event types
 */
export const parsePaypal: CallbackParser<PaypalAccount, PaypalKeys> = ({ channel, body }) => {
  const event = parseJsonObject(body)
  if (event === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a JSON object' }
  }
  return readNotice(channel, eventIdOf(event['id'], body), () => readEvent(rootOf(event)), 'hint')
}

function readEvent(event: Field): Fact {
  const resource = at(event, 'resource')
  const type = wordOf(at(event, 'event_type'))
  const meaning = PAYPAL_EVENTS.get(type ?? '')
  switch (meaning) {
    case 'captured':
    case 'captureMoves':
      return readCapture(resource)
    case 'captureFailed':
      return { ...readCapture(resource), kind: 'failed', money: undefined, paidAt: undefined }
    case 'wentBack':
    case 'refundMoves':
      return readRefund(resource)
    case 'dispute':
      return readDispute(resource)
    case 'order':
      return readOrder(resource)
    case 'other':
      return {
        kind: 'other',
        outTradeNo: readOwnNumber(resource) ?? readOwnNumber(firstOf(resource, 'purchase_units')),
      }
    case undefined:
      return { kind: 'unknown', outTradeNo: readOwnNumber(resource), code: channelCodeOf(type) }
    default:
      return meaning satisfies never
  }
}

/** A capture without a number of ours is still asked about by its own. */
function readCapture(capture: Field): Fact {
  const money = orAbsent(() => readPaypalMoney(at(capture, 'amount')))
  const base = {
    channelTxnId: readId(at(capture, 'id'), parseChannelTxnId),
    outTradeNo: readOwnNumber(capture),
    paidAt: orAbsent(() => readTime(at(capture, 'create_time'))),
  }
  // A trial: no money is no payment.
  return money?.amount === 0 ? { ...base, kind: 'other', code: 'AMOUNT_0' } : { ...base, kind: 'payment', money }
}

function readRefund(refund: Field): Fact {
  const numbers = ['custom_id', 'invoice_id'].map((name) => idIfOurs(at(refund, name), refundNoOfWireKey))
  return {
    kind: 'refund',
    channelTxnId: readId(captureLinkedFrom(refund), parseChannelTxnId),
    outTradeNo: readOwnNumber(refund),
    refundNo: numbers.find((number) => number !== undefined),
    channelRefundId: idIfOurs(at(refund, 'id'), parseKeyPart),
    money: orAbsent(() => readPaypalMoney(at(refund, 'amount'))),
  }
}

function readDispute(dispute: Field): Fact {
  const transaction = firstOf(dispute, 'disputed_transactions')
  const dueAt = orAbsent(() => readTime(at(dispute, 'seller_response_due_date')))
  const id = idIfOurs(at(dispute, 'dispute_id'), parseKeyPart)
  return {
    kind: 'dispute',
    channelTxnId: readId(at(transaction, 'seller_transaction_id'), parseChannelTxnId),
    outTradeNo: readOwnNumber(transaction),
    undo: {
      form: 'one',
      state: 'pending',
      ...(id !== undefined && { id }),
      ...(dueAt !== undefined && { dueAt }),
    },
  }
}

/** A completed order names its captures, and they decide. */
function readOrder(order: Field): Fact {
  const unit = firstOf(order, 'purchase_units')
  const capture = firstOf(at(unit, 'payments'), 'captures')
  const channelTxnId = idIfOurs(at(capture, 'id'), parseChannelTxnId)
  const outTradeNo = readOwnNumber(unit) ?? readOwnNumber(order)
  return { kind: 'payment', outTradeNo, channelTxnId }
}
