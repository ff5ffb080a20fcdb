import { createHmac } from 'node:crypto'
import type { AdyenAccount } from '../../../../modules/channels/account.ts'
import type { Payment, PaymentEvent } from '../payment.ts'
import { toAdyenAmount } from './amounts.ts'

/** One notification before it is signed. Source: docs/channels/adyen.md, Fields */
export interface Item {
  readonly pspReference: string
  readonly originalReference?: string
  readonly merchantAccountCode: string
  readonly merchantReference: string
  readonly amount: { readonly value: number; readonly currency: string }
  readonly eventCode: string
  readonly success: 'true' | 'false'
  readonly eventDate: string
  readonly reason: string
  readonly paymentMethod: string
}

/**
 * What Adyen tells of an event.
 * @param eventId the number of the try or the cancel, where that is not the payment itself
 */
export function toItem(
  account: AdyenAccount,
  event: PaymentEvent,
  payment: Payment,
  eventId: string,
  nowMs: number,
): Item {
  const currency = payment.paidCurrency ?? payment.currency
  return {
    ...namesOf(account, event, payment, eventId),
    merchantAccountCode: account.merchantAccounts[0] ?? '',
    merchantReference: payment.outTradeNo,
    amount: { value: toAdyenAmount(payment.paidAmount ?? payment.amount, currency), currency },
    eventDate: `${new Date(nowMs).toISOString().slice(0, 19)}+00:00`,
    paymentMethod: 'visa',
  }
}

type Names = Pick<Item, 'pspReference' | 'originalReference' | 'eventCode' | 'success' | 'reason'>

function namesOf({ capture }: AdyenAccount, event: PaymentEvent, payment: Payment, eventId: string): Names {
  switch (event) {
    case 'paid': {
      const reason = '033899:1111:03/2030'
      const pspReference = payment.channelTxnId ?? eventId
      // Money moves with the capture, which is a number of its own where the merchant makes it.
      return capture === 'manual'
        ? { pspReference: eventId, originalReference: pspReference, eventCode: 'CAPTURE', success: 'true', reason }
        : { pspReference, eventCode: 'AUTHORISATION', success: 'true', reason }
    }
    case 'failed':
      return { pspReference: eventId, eventCode: 'AUTHORISATION', success: 'false', reason: 'REFUSED' }
    case 'closed':
      // Cancelled by our own number, as the payment's was never told; else its time is over.
      return {
        pspReference: eventId,
        eventCode: payment.closedBy === 'merchant' ? 'TECHNICAL_CANCEL' : 'OFFER_CLOSED',
        success: 'true',
        reason: '',
      }
    default:
      return event satisfies never
  }
}

/** HMAC-SHA256 over the eight signed fields, base64. Source: docs/channels/adyen.md, Callback */
export function signItem(item: Item, hmacKeyHex: string): string {
  const text = [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(':')
  return createHmac('sha256', Buffer.from(hmacKeyHex, 'hex')).update(text, 'utf8').digest('base64')
}
