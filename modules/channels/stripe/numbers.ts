import { type OutTradeNo, parseOutTradeNo } from '../../core/ids.ts'
import { at, type Field, idIfOurs } from '../field.ts'
import { isJsonObject } from '../json.ts'
import type { Fact } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { parseIntentId } from './read-fields.ts'

/** The id at a name: newer API versions, and expanded answers, have the object itself where older ones have its id. */
export function idAt(object: Field, name: string): Field {
  const field = at(object, name)
  return isJsonObject(field.value) ? at(field, 'id') : field
}

/** The PaymentIntent that a session, charge, refund or dispute belongs to. */
export function intentIdOf(object: Field): Field {
  return idAt(object, 'payment_intent')
}

/** Our number: in the metadata, else a session's reference. What cannot be a number of ours is none. */
export function orderNumberOf(object: Field): OutTradeNo | undefined {
  return (
    idIfOurs(at(object, 'metadata', 'order_no'), parseOutTradeNo) ??
    idIfOurs(at(object, 'client_reference_id'), parseOutTradeNo)
  )
}

/** Which payment an object is about, as far as it says so. */
export function numbersOf(object: Field): Pick<Fact, 'channelTxnId' | 'outTradeNo' | 'refundNo'> {
  return {
    channelTxnId: idIfOurs(at(object, 'id'), parseIntentId) ?? idIfOurs(intentIdOf(object), parseIntentId),
    outTradeNo: orderNumberOf(object),
    refundNo: idIfOurs(at(object, 'metadata', 'refund_no'), refundNoOfWireKey),
  }
}
