import { setVerdict } from '../ledger/callback/record-callback.ts'
import { putTicket } from '../ledger/task/put-task.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'

const REASONS = { refund: 'EXTERNAL_REFUND', dispute: 'DISPUTE', payment: 'PAYMENT_INCOMPLETE' } as const

/**
 * What only a person can take further, whatever the order's state: money that a channel says went back or is disputed without us,
 * and a payment that does not say what it is. Recorded with a ticket.
 */
export async function reviewEvent(deps: BookDeps, { location, event, evidence }: EventToBook): Promise<BookResult> {
  const now = deps.now()
  const reason = event.kind === 'refund' || event.kind === 'dispute' ? REASONS[event.kind] : REASONS.payment
  const { orderNo } = location
  const ticket = putTicket(
    {
      pk: location.pk,
      bizType: 'REVIEW',
      bizNo: `${event.kind}/${event.channel}/${event.eventId}`,
      ...(orderNo !== undefined && { orderNo }),
      channel: event.channel,
      source: 'CALLBACK',
      reason,
      requestSnapshot: {
        channelTxnId: event.channelTxnId,
        // A hint's figures may be forged (PayPal signs a CRC): the channel's console has the true ones.
        ...(event.trust === 'fact' && { money: event.money }),
        cumulative: event.cumulative,
        evidence: evidence.sk,
      },
    },
    deps.overrides,
    now,
  )
  const result = await finish(deps, [...ticket, setVerdict(evidence, 'recorded')], 'recorded')
  if (result.kind === 'booked') emitMetric('TicketsOpened')
  return result
}
