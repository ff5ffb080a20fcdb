import { setVerdict } from '../ledger/callback/record-callback.ts'
import { writeContext } from '../ledger/context.ts'
import { orphanWrites } from '../ledger/payment/record-orphan.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { isPayment } from './book-event.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'

/** Records money for which no order came in time; a lost race means that it was recorded, or its order came, meanwhile. */
export async function recordOrphan(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { event, evidence, location } = input
  if (!isPayment(event)) return { kind: 'orderUnknown' }
  const writes = [...orphanWrites(location, event, evidence.sk, writeContext(deps)), setVerdict(evidence, 'orphan')]
  const result = await finish(deps, writes, 'orphan')
  if (result.kind === 'booked') emitMetric('TicketsOpened')
  return result
}
