import { parseChannelTxnId } from '../../core/ids.ts'
import type { PaypalAccount } from '../account.ts'
import {
  endedAnswer,
  foreignAnswer,
  movingAnswer,
  noAnswer,
  paidAnswer,
  readAnswer,
  refundedAnswer,
  unknownState,
  waitOutExpiry,
  waitsForMerchant,
} from '../answers.ts'
import { channelCodeOf } from '../channel-code.ts'
import type { PayAttemptRef, QueryAnswer, QueryPayment } from '../client.ts'
import { at, type Field, isAbsent, readId, readTime, rootOf, wordOf } from '../field.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Fact } from '../notice.ts'
import { pickCapture } from './captures.ts'
import { readPaypalMoney } from './read-fields.ts'
import { askPaypal, type PaypalCall, type PaypalSession } from './session.ts'
import { PAYPAL_CAPTURE_STATES, PAYPAL_MERCHANT_REASONS, PAYPAL_ORDER_STATES } from './states.ts'

/**
 * Asks for the order by its id (channelRef), then for the capture that decides; without an order's id for the capture that a
 * hint named. PayPal cannot be asked by our own number, so an attempt without either is waited out.
 * Source: docs/channels/paypal.md, Query
 */
export const queryPaypal: QueryPayment<PaypalAccount, PaypalSession> = async (ref, account, session, deps) => {
  if (ref.channelRef === undefined) {
    return ref.channelTxnId === undefined
      ? waitOutExpiry(ref, deps.nowMs(), 'NO_CHANNEL_REF')
      : askCapture({ id: ref.channelTxnId, naming: 'must' }, ref, { account, session, deps })
  }
  const path = `/v2/checkout/orders/${encodeURIComponent(ref.channelRef)}`
  const result = await askPaypal(path, account, session, deps)
  if (result.kind === 'notFound') return waitOutExpiry(ref, deps.nowMs(), 'RESOURCE_NOT_FOUND')
  if (result.kind === 'none') return noAnswer(result.outcome)
  return readOrder(result.object, ref, { account, session, deps })
}

async function readOrder(order: JsonObject, ref: PayAttemptRef, desk: PaypalCall): Promise<QueryAnswer> {
  const units = Array.isArray(order['purchase_units']) ? order['purchase_units'].filter(isJsonObject) : []
  if (units.some((unit) => namesAnother(rootOf(unit), ref))) return foreignAnswer('purchase_units.custom_id')
  const word = wordOf(at(rootOf(order), 'status'))
  const state = PAYPAL_ORDER_STATES.get(word ?? '')
  const capture = pickCapture(units)
  // A buyer whose capture failed may choose again while the order is not completed.
  const decides = capture !== undefined && (state === 'captures' || capture.state !== 'failed')
  if (decides) return askCapture({ id: capture.id, naming: 'may' }, ref, desk)
  switch (state) {
    case 'waiting':
      return waitOutExpiry(ref, desk.deps.nowMs(), word ?? '')
    case 'captures':
      return noAnswer({ kind: 'unknown', code: 'CAPTURE_MISSING', message: 'A completed order names no capture.' })
    case 'closed':
      return endedAnswer(desk.account.id, ref, 'closed', word ?? '')
    case undefined:
      return unknownState(word)
    default:
      return state satisfies never
  }
}

/** @param naming whether the capture must name our number, because nothing but a hint led to it */
async function askCapture(
  { id, naming }: { readonly id: string; readonly naming: 'must' | 'may' },
  ref: PayAttemptRef,
  { account, session, deps }: PaypalCall,
): Promise<QueryAnswer> {
  const result = await askPaypal(`/v2/payments/captures/${encodeURIComponent(id)}`, account, session, deps)
  if (result.kind === 'none') return noAnswer(result.outcome)
  // It was named a moment ago, so that it is missing says nothing about the payment.
  if (result.kind === 'notFound') return noAnswer({ kind: 'unknown', code: 'CAPTURE_NOT_FOUND' })
  const capture = rootOf(result.object)
  if (namesAnother(capture, ref) || (naming === 'must' && !namesOurs(capture, ref))) return foreignAnswer('custom_id')
  return readAnswer(() => readCapture(capture, ref, account))
}

function readCapture(capture: Field, ref: PayAttemptRef, account: PaypalAccount): QueryAnswer {
  const word = wordOf(at(capture, 'status'))
  const state = PAYPAL_CAPTURE_STATES.get(word ?? '')
  switch (state) {
    case 'paid':
      return paidAnswer(account.id, ref, readPayment(capture))
    case 'moving':
      return readPending(capture)
    case 'failed':
      return endedAnswer(account.id, ref, 'failed', `CAPTURE_${word}`)
    case 'refunded':
      return refundedAnswer()
    case undefined:
      return unknownState(word)
    default:
      return state satisfies never
  }
}

function readPending(capture: Field): QueryAnswer {
  const reason = wordOf(at(capture, 'status_details', 'reason'))
  const todo = PAYPAL_MERCHANT_REASONS.get(reason ?? '')
  if (reason !== undefined && todo !== undefined) return waitsForMerchant(reason, todo)
  return movingAnswer(reason === undefined ? 'CAPTURE_PENDING' : `CAPTURE_PENDING_${channelCodeOf(reason)}`)
}

function readPayment(capture: Field) {
  return {
    kind: 'payment',
    channelTxnId: readId(at(capture, 'id'), parseChannelTxnId),
    money: readPaypalMoney(at(capture, 'amount')),
    // Not `update_time`, which a refund moves.
    paidAt: isAbsent(at(capture, 'create_time')) ? undefined : readTime(at(capture, 'create_time')),
  } as const satisfies Fact
}

function numbersOf(object: Field): readonly unknown[] {
  return [at(object, 'custom_id').value, at(object, 'invoice_id').value].filter((value) => value !== undefined)
}

function namesOurs(object: Field, ref: PayAttemptRef): boolean {
  return numbersOf(object).includes(ref.outTradeNo)
}

/** It has numbers, and none is ours: an id that was stored with the wrong order must not bring another's money to it. */
function namesAnother(object: Field, ref: PayAttemptRef): boolean {
  return numbersOf(object).length > 0 && !namesOurs(object, ref)
}
