import { parseChannelTxnId, parseRefundNo } from '../../core/ids.ts'
import type { PaypalAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, isAbsent, readId, readTime, rootOf, wordOf } from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readNotice } from '../notice.ts'
import type { PaypalKeys } from './keys.ts'
import { readOwnNumber, readPaypalMoney } from './read-fields.ts'

/** Reads a verified event. All of it is a hint: only a CRC of the body is signed. Source: docs/channels/paypal.md, Event types */
export const parsePaypal: CallbackParser<PaypalAccount, PaypalKeys> = ({ channel, body }) => {
  const event = parseJsonObject(body)
  if (event === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a JSON object' }
  }
  return readNotice(channel, eventIdOf(event['id'], body), () => readEvent(rootOf(event)), 'hint')
}

function readEvent(event: Field): Fact {
  const resource = at(event, 'resource')
  switch (wordOf(at(event, 'event_type'))) {
    case 'PAYMENT.CAPTURE.COMPLETED':
      return {
        kind: 'payment',
        channelTxnId: readId(at(resource, 'id'), parseChannelTxnId),
        outTradeNo: readOwnNumber(resource),
        money: readPaypalMoney(at(resource, 'amount')),
        paidAt: isAbsent(at(resource, 'create_time')) ? undefined : readTime(at(resource, 'create_time')),
      }
    // Both spellings occur in PayPal's texts.
    case 'PAYMENT.CAPTURE.DENIED':
    case 'PAYMENT.CAPTURE.DECLINED':
      return {
        kind: 'failed',
        channelTxnId: readId(at(resource, 'id'), parseChannelTxnId),
        outTradeNo: readOwnNumber(resource),
      }
    case 'PAYMENT.CAPTURE.REFUNDED':
      return {
        kind: 'refund',
        channelTxnId: readId(captureOf(resource), parseChannelTxnId),
        outTradeNo: readOwnNumber(resource),
        refundNo: refundNumberOf(resource),
        channelRefundId: readId(at(resource, 'id'), parseKeyPart),
        money: readPaypalMoney(at(resource, 'amount')),
        cumulative: false,
      }
    case 'PAYMENT.CAPTURE.REVERSED':
      return {
        kind: 'dispute',
        channelTxnId: readId(captureOf(resource), parseChannelTxnId),
        money: readPaypalMoney(at(resource, 'amount')),
      }
    case 'PAYMENT.REFUND.PENDING':
    case 'PAYMENT.REFUND.FAILED':
      return {
        kind: 'other',
        channelTxnId: idIfOurs(captureOf(resource), parseChannelTxnId),
        refundNo: refundNumberOf(resource),
        channelRefundId: idIfOurs(at(resource, 'id'), parseKeyPart),
      }
    case 'PAYMENT.CAPTURE.PENDING':
      return {
        kind: 'other',
        channelTxnId: idIfOurs(at(resource, 'id'), parseChannelTxnId),
        outTradeNo: readOwnNumber(resource),
      }
    // CHECKOUT.ORDER.APPROVED is not paid, and COMPLETED says nothing of the captures: the query tells.
    default:
      return { kind: 'other', outTradeNo: readOwnNumber(resource) ?? readOwnNumber(firstUnitOf(resource)) }
  }
}

function refundNumberOf(refund: Field): Fact['refundNo'] {
  return idIfOurs(at(refund, 'custom_id'), parseRefundNo) ?? idIfOurs(at(refund, 'invoice_id'), parseRefundNo)
}

/** The capture that a refund belongs to: the last part of its `up` link. */
function captureOf(refund: Field): Field {
  const { value, path } = at(refund, 'links')
  const links = Array.isArray(value) ? value.map((link: unknown): Field => ({ path, value: link })) : []
  const up = links.find((link) => wordOf(at(link, 'rel')) === 'up')
  const href = up === undefined ? undefined : wordOf(at(up, 'href'))
  return { path: `${path}.up`, value: href === undefined ? undefined : CAPTURE.exec(href)?.[1] }
}

const CAPTURE = /\/v2\/payments\/captures\/([0-9A-Za-z-]{1,64})$/

function firstUnitOf(order: Field): Field {
  const { value, path } = at(order, 'purchase_units')
  return { path, value: Array.isArray(value) ? value[0] : undefined }
}
