import { bizNoOf } from '../core/biz-no.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { taskContext } from '../ledger/context.ts'
import { putTicket } from '../ledger/task/put-task.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'

const REASONS = { refund: 'EXTERNAL_REFUND', dispute: 'DISPUTE', payment: 'PAYMENT_INCOMPLETE' } as const

/**
 * What only a person can take further, whatever the order's state: money that a channel says went back or is disputed without us,
 * and a payment that does not say what it is. Recorded with a ticket.
 */
export async function reviewEvent(deps: BookDeps, { location, event, evidence }: EventToBook): Promise<BookResult> {
  const { pk, orderNo } = location
  const { kind, channel, channelTxnId, cumulative } = event
  const reason = kind === 'refund' || kind === 'dispute' ? REASONS[kind] : REASONS.payment
  const bizNo = bizNoOf('REVIEW', { kind, channel, id: event.eventId })
  const requestSnapshot = {
    channelTxnId,
    // A hint's figures may be forged (PayPal signs a CRC): the channel's console has the true ones.
    ...(event.trust === 'fact' && { money: event.money }),
    cumulative,
    evidence: evidence.sk,
  }
  const ticket = putTicket(
    { pk, bizNo, orderNo, channel, source: 'CALLBACK', reason, requestSnapshot },
    taskContext(deps),
  )
  const result = await finish(deps, [...ticket, setVerdict(evidence, 'recorded')], 'recorded')
  if (result.kind === 'booked') emitMetric('TicketsOpened')
  return result
}
