import { setVerdict } from '../ledger/callback/record-callback.ts'
import { writeContext } from '../ledger/context.ts'
import { type OrphanBefore, orphanWrites } from '../ledger/payment/record-orphan.ts'
import type { Location } from '../ledger/read/locate-order.ts'
import { readCollection } from '../ledger/read/queries.ts'
import { paymentSk } from '../ledger/table/keys.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { isPayment } from './book-event.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'

/** Records money for which no order came in time; a lost race means that it was recorded, or its order came, meanwhile. */
export async function recordOrphan(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { event, evidence, location } = input
  if (!isPayment(event)) return { kind: 'orderUnknown' }
  const before = await awaitedRow(deps, location, paymentSk(event.channel, event.channelTxnId))
  const orphan = orphanWrites(location, event, { evidence: evidence.sk, before }, writeContext(deps))
  const writes = [...orphan, setVerdict(evidence, 'orphan')]
  const result = await finish(deps, writes, 'orphan')
  if (result.kind === 'booked') emitMetric('TicketsOpened')
  return result
}

/** The row that stands for this payment because its undoing was heard first. */
async function awaitedRow(
  { ledger }: BookDeps,
  { transaction }: Location,
  sk: string,
): Promise<OrphanBefore | undefined> {
  if (transaction === undefined) return undefined
  const { payments, tasks } = await readCollection(ledger, transaction.collection)
  const payment = payments.find((row) => row.sk === sk && row.role === 'AWAITED')
  return payment && { payment, tasks }
}
