import { setVerdict } from '../ledger/callback/record-callback.ts'
import { orphanWrites } from '../ledger/payment/record-orphan.ts'
import { commit } from '../ledger/table/commit.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { isPayment } from './book-event.ts'
import { type BookDeps, type BookResult, CONTENDED, type EventToBook, resultOf } from './booked.ts'

/** Records money for which no order came in time; a lost race means that it was recorded, or its order came, meanwhile. */
export async function recordOrphan(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { event, evidence, location } = input
  if (!isPayment(event)) return { kind: 'orderUnknown' }
  const now = deps.now()
  const writes = [...orphanWrites(location, event, evidence.sk, deps, now), setVerdict(evidence, 'orphan')]
  const result = await commit(deps.ledger, writes, now)
  if (result.kind === 'lost') return CONTENDED
  if (result.kind === 'done') emitMetric('TicketsOpened')
  return resultOf(result, 'orphan')
}
