import type { BookingDecision, PaymentEvent } from '../../core/decide-booking.ts'
import type { WriteContext } from '../context.ts'
import type { Cause } from '../order/change-order.ts'
import type { OrderFile } from '../read/queries.ts'
import { taskSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { OrderRow, PaymentRow, TaskRow } from '../table/rows.ts'
import { optional } from '../table/writes.ts'
import { endUnread } from '../task/move-task.ts'
import { applyPayment } from './apply-payment.ts'
import { holdMismatch } from './hold-mismatch.ts'
import { orphanReviewNo } from './record-orphan.ts'
import { refundPayment } from './refund-payment.ts'

/** What a booking writes needs beside the decision. */
export interface BookingContext extends WriteContext {
  readonly event: PaymentEvent
  readonly cause: Cause
  /** The payment's own row where it exists already, as an ORPHAN or AWAITED one, with the tasks of its collection. */
  readonly before?: { readonly payment: PaymentRow; readonly tasks: readonly TaskRow[] }
}

/** An order that is there, with its whole file. */
export type FileOfOrder = OrderFile & { readonly order: OrderRow }

type Booked = Extract<BookingDecision, { kind: 'apply' | 'refund' | 'mismatch' }>

/**
 * Everything that one decision about a payment changes, as one transaction: payment, guard, order, journal, payAttempts, lines
 * and follow-up tasks together or not at all.
 */
export function bookingWrites(file: FileOfOrder, decision: Booked, context: BookingContext): readonly Write[] {
  return [...writesOf(file, decision, context), ...endOrphanTicket(context)]
}

function writesOf(file: FileOfOrder, decision: Booked, context: BookingContext): readonly Write[] {
  switch (decision.kind) {
    case 'apply':
      return applyPayment(file, decision, context)
    case 'refund':
      return refundPayment(file, decision.role, context)
    case 'mismatch':
      return holdMismatch(file, decision.reason, context)
  }
}

/** The order came after all: its money needs no person any more, unless one has ended the ticket already. */
function endOrphanTicket({ event, before }: BookingContext): readonly Write[] {
  if (before?.payment.role !== 'ORPHAN') return []
  const sk = taskSk(taskNoOf('REVIEW', orphanReviewNo(event)))
  return [optional(endUnread({ et: 'TASK', pk: before.payment.pk, sk }, 'ORDER_ARRIVED'))]
}
