import type { ChannelEvent } from '../core/channel-event.ts'
import type { PaymentEvent } from '../core/decide-booking.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { askBack, isAskable } from './ask-back.ts'
import { bookPayment } from './book-payment.ts'
import { bookUndo, isUndo, type UndoEvent } from './book-undo.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'
import { endPayAttempt } from './end-pay-attempt.ts'
import { followHint } from './follow-hint.ts'
import { reviewEvent } from './review-event.ts'

/**
 * Takes one event into the ledger: read the order's file, decide, commit one transaction; a lost race reads and decides again.
 * Callback, task and query all come through here.
 * Source: docs/design/flows.md, Decision table
 */
export async function bookEvent(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { event } = input
  if (isPayment(event)) return bookPayment(deps, { ...input, event })
  if (isUndo(event)) return bookUndone(deps, { ...input, event })
  if ((event.kind === 'failed' || event.kind === 'closed') && event.trust === 'fact') return endPayAttempt(deps, input)
  if (isAskable(event) && deps.canAskBack(event.channel)) return askBack(deps, { ...input, event })
  if (event.kind === 'refund' || event.kind === 'dispute' || event.kind === 'unknown') return reviewEvent(deps, input)
  if (event.trust === 'hint' && event.kind !== 'other' && event.outTradeNo !== undefined) return followHint(deps, input)
  // A payment that names no order, or not what was paid: nothing can be asked about it.
  if (event.kind === 'payment') return reviewEvent(deps, input)
  return finish(deps, [setVerdict(input.evidence, 'recorded')], 'recorded')
}

/** Money that is void may be the end of its try, too. */
async function bookUndone(deps: BookDeps, input: EventToBook & { readonly event: UndoEvent }): Promise<BookResult> {
  const undone = await bookUndo(deps, input)
  return undone.kind === 'booked' && input.event.kind === 'closed' ? endPayAttempt(deps, input) : undone
}

/** A payment fact with all that a decision needs. */
export function isPayment(event: ChannelEvent): event is PaymentEvent {
  return (
    event.kind === 'payment' &&
    event.trust === 'fact' &&
    event.channelTxnId !== undefined &&
    event.money !== undefined &&
    // No money is no payment.
    event.money.amount > 0
  )
}
