/** What an event code means when `success` is true; false is another word for the same code. */
export interface EventMeaning {
  readonly success: 'authorised' | 'captured' | 'closed' | 'refund' | 'dispute' | 'other'
  readonly failure: 'dispute' | 'other'
}

const means = (success: EventMeaning['success'], failure: EventMeaning['failure'] = 'other'): EventMeaning => ({
  success,
  failure,
})
const DISPUTE = means('dispute', 'dispute')

/**
 * Event codes for us; one that is not here is `other`. `dispute` is "a person looks": money that was thought to have come or
 * gone has not. AUTHORISATION false is no end, since a later attempt on the same reference may succeed. CANCEL_OR_REFUND does not
 * say which, so it counts as money going back.
 * Source: docs/channels/adyen.md, Event types
 */
export const ADYEN_EVENTS: ReadonlyMap<string, EventMeaning> = new Map([
  ['AUTHORISATION', means('authorised')],
  ['CAPTURE', means('captured')],
  ['CAPTURE_FAILED', DISPUTE],
  ['OFFER_CLOSED', means('closed')],
  ['CANCELLATION', means('closed')],
  ['TECHNICAL_CANCEL', means('closed')],
  ['CANCEL_OR_REFUND', means('refund')],
  ['REFUND', means('refund')],
  ['REFUND_FAILED', DISPUTE],
  ['REFUNDED_REVERSED', DISPUTE],
  ['NOTIFICATION_OF_CHARGEBACK', DISPUTE],
  ['CHARGEBACK', DISPUTE],
  ['SECOND_CHARGEBACK', DISPUTE],
  ['CHARGEBACK_REVERSED', DISPUTE],
  ['REQUEST_FOR_INFORMATION', DISPUTE],
  ['PREARBITRATION_WON', DISPUTE],
  ['PREARBITRATION_LOST', DISPUTE],
  ['PENDING', means('other')],
  ['EXPIRE', means('other')],
  ['ORDER_OPENED', means('other')],
  ['ORDER_CLOSED', means('other')],
  ['REPORT_AVAILABLE', means('other')],
])

export function meaningOf(eventCode: string, success: string): EventMeaning['success'] {
  const meaning = ADYEN_EVENTS.get(eventCode)
  if (meaning === undefined) return 'other'
  return success === 'true' ? meaning.success : meaning.failure
}
