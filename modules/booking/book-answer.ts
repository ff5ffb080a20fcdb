import type { ChannelEvent } from '../core/channel-event.ts'
import type { Outcome } from '../core/outcome.ts'
import { locateOrder } from '../ledger/read/locate-order.ts'
import type { Key } from '../ledger/table/keys.ts'
import { bookEvent } from './book-event.ts'
import type { BookDeps } from './booked.ts'
import { tellVerdict } from './tell-verdict.ts'

/**
 * Takes what a channel answered to a query through the same decision as a callback.
 * @param evidence the attempt that asked
 * @returns an outcome only when the ledger did not take it: the question is asked again, which is safe
 */
export async function bookAnswer(deps: BookDeps, event: ChannelEvent, evidence: Key): Promise<Outcome | undefined> {
  const location = await locateOrder(deps.ledger, event)
  const result = await bookEvent(deps, { location, event, evidence, operatorType: 'QUERY' })
  if (result.kind === 'booked') {
    const { channel, eventId } = event
    const fields = { channel, orderNo: location.orderNo, eventId, source: 'QUERY' }
    tellVerdict('An answer of a channel was booked.', fields, result.verdict)
    return undefined
  }
  return result.kind === 'failed'
    ? { kind: 'transient', code: result.code, message: result.message }
    : { kind: 'notYet', code: 'ORDER_UNKNOWN' }
}
