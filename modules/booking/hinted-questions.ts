import { parsePayAttemptNo } from '../core/biz-no.ts'
import type { TaskRow } from '../ledger/table/rows.ts'
import type { Fact } from '../ledger/ticket/raise-ticket.ts'
import type { EventToBook } from './booked.ts'

/** Questions of one order that only hints named: they may be forged, so that there are few. */
export const MAX_HINTED = 5

/** The questions of a collection that only hints named: about payments, and about what went back of them. */
export function hintedQuestions(tasks: readonly TaskRow[]): readonly TaskRow[] {
  return tasks.filter(({ bizType, bizNo }) => {
    if (bizType === 'QUERY_REFUND') return true
    return bizType === 'QUERY_PAYMENT' && parsePayAttemptNo(bizNo)?.channelTxnId !== undefined
  })
}

/** Too much was named to ask about it all: one ticket for the collection, whatever is named next. */
export function tooManyHints({ location, event, evidence }: EventToBook): Fact {
  const { pk, orderNo } = location
  const message = `More than ${MAX_HINTED} questions were put by unsigned notices. Compare the order with the channel's console.`
  const { channel, channelTxnId } = event
  const fact = { pk, orderNo, kind: 'hints', channel, id: orderNo ?? channel, reason: 'TOO_MANY_HINTS', message }
  return { ...fact, evidence: evidence.sk, details: { channelTxnId } }
}
