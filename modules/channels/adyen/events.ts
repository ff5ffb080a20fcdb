import type { UndoState } from '../../core/channel-event.ts'

/** What an item tells, by its event code and its `success`. */
export type AdyenMeaning =
  | { readonly tells: 'authorised' | 'captured' | 'probe' | 'other' }
  /** A whole payment is void; with `endsTry` nothing under our reference lives any more. */
  | { readonly tells: 'void'; readonly endsTry: boolean }
  /** Only where nothing was captured: with manual capture it is the uncaptured rest. */
  | { readonly tells: 'expired' }
  | { readonly tells: 'refund'; readonly state: UndoState }
  | { readonly tells: 'cancelOrRefund' }
  | { readonly tells: 'dispute'; readonly state: UndoState; readonly movesMoney: boolean }

interface EventMeaning {
  readonly success: AdyenMeaning
  readonly failure: AdyenMeaning
}

const other: AdyenMeaning = { tells: 'other' }
const means = (success: AdyenMeaning, failure: AdyenMeaning = other): EventMeaning => ({ success, failure })
const refund = (state: UndoState): AdyenMeaning => ({ tells: 'refund', state })
const dispute = (state: UndoState): EventMeaning => means({ tells: 'dispute', state, movesMoney: true })
/** A step of a dispute that moves no money by itself. */
const course: EventMeaning = means({ tells: 'dispute', state: 'pending', movesMoney: false })
const recorded: EventMeaning = means(other)
const voided: EventMeaning = means({ tells: 'void', endsTry: false })
const probe: EventMeaning = means({ tells: 'probe' }, { tells: 'probe' })

/**
 * Every documented event code. AUTHORISATION false is no end, since a later attempt on the same reference may succeed, and so is
 * OFFER_CLOSED: the end of one attempt at the channel is not the end of our try.
 * Source: docs/channels/adyen.md, Event types
 */
export const ADYEN_EVENTS: ReadonlyMap<string, EventMeaning> = new Map([
  ['AUTHORISATION', means({ tells: 'authorised' })],
  ['CAPTURE', means({ tells: 'captured' })],
  ['NOTIFICATIONTEST', probe],
  ['CAPTURE_FAILED', voided],
  ['CANCELLATION', voided],
  ['TECHNICAL_CANCEL', means({ tells: 'void', endsTry: true })],
  ['EXPIRE', means({ tells: 'expired' })],
  ['OFFER_CLOSED', recorded],
  ['CANCEL_OR_REFUND', means({ tells: 'cancelOrRefund' })],
  ['REFUND', means(refund('done'), refund('failed'))],
  ['REFUND_FAILED', means(refund('reversed'))],
  ['REFUNDED_REVERSED', means(refund('reversed'))],
  ['POSTPONED_REFUND', means(refund('pending'))],
  ['VOID_PENDING_REFUND', means(refund('failed'))],
  ['NOTIFICATION_OF_CHARGEBACK', dispute('pending')],
  ['CHARGEBACK', dispute('done')],
  ['SECOND_CHARGEBACK', dispute('done')],
  ['PREARBITRATION_LOST', dispute('done')],
  ['SCHEME_ARBITRATION_LOST', dispute('done')],
  ['CHARGEBACK_REVERSED', dispute('reversed')],
  ['PREARBITRATION_WON', dispute('reversed')],
  ['SCHEME_ARBITRATION_WON', dispute('reversed')],
  ['PREARBITRATION_ISSUER_WITHDRAWN', dispute('reversed')],
  ['REQUEST_FOR_INFORMATION', course],
  ['PREARBITRATION_OPEN', course],
  ['PREARBITRATION_ACCEPTED', course],
  ['PREARBITRATION_DECLINED', course],
  ['SCHEME_ARBITRATION', course],
  ['INFORMATION_SUPPLIED', course],
  ['ISSUER_COMMENTS', course],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', course],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', course],
  ['NOTIFICATION_OF_FRAUD', recorded],
  ['REFUND_WITH_DATA', recorded],
  ['PENDING', recorded],
  ['AUTHORISATION_ADJUSTMENT', recorded],
  ['MANUAL_REVIEW_ACCEPT', recorded],
  ['MANUAL_REVIEW_REJECT', recorded],
  ['AUTORESCUE', recorded],
  ['CANCEL_AUTORESCUE', recorded],
  ['PROCESS_RETRY', recorded],
  ['RECURRING_CONTRACT', recorded],
  ['DONATION', recorded],
  ['ORDER_OPENED', recorded],
  ['ORDER_CLOSED', recorded],
  ['REPORT_AVAILABLE', recorded],
  ['PAYOUT_THIRDPARTY', recorded],
  ['PAYOUT_DECLINE', recorded],
  ['PAYOUT_EXPIRE', recorded],
  ['PAIDOUT_REVERSED', recorded],
  ['ACH_NOTIFICATION_OF_CHANGE', recorded],
  ['DIRECT_DEBIT_NOTICE_OF_CHANGE_NOTIFICATION', recorded],
  ['AUTHORISE_REFERRAL', recorded],
  ['FRAUD_ONLY', recorded],
  ['FUND_TRANSFER', recorded],
  ['HANDLED_EXTERNALLY', recorded],
])

/** `undefined` for a code, or another word than true and false, that no table of ours knows. */
export function meaningOf(eventCode: string, success: string): AdyenMeaning | undefined {
  const meaning = ADYEN_EVENTS.get(eventCode)
  if (success === 'true') return meaning?.success
  return success === 'false' ? meaning?.failure : undefined
}
