import { bizNoOf } from '../../core/biz-no.ts'
import { NOTHING } from '../../core/money.ts'
import { paymentNotice, planNotices } from '../notice/put-notice.ts'
import { freezeOrder } from '../order/change-order.ts'
import { openTriesAfter } from '../order/open-tries.ts'
import { setOrCheck } from '../order/set-or-check.ts'
import { payTries, tryPaidBy } from '../pay-attempt/move-pay-attempt.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import { putTicket } from '../task/put-task.ts'
import type { BookingContext, FileOfOrder } from './book-payment-writes.ts'
import { recordPayment } from './record-payment.ts'
import { takeOver } from './take-over.ts'

/** Money that is not the order's amount or currency: kept, with a ticket, and no automatic effect until a person decides. */
export function holdMismatch(
  { order, payAttempts }: FileOfOrder,
  differs: 'AMOUNT' | 'CURRENCY',
  context: BookingContext,
): readonly Write[] {
  const { event, now } = context
  const { channel, channelTxnId } = event
  const reason = `MISMATCH_${differs}`
  const cause = { ...context.cause, reason }
  const bizNo = bizNoOf('REVIEW', { kind: 'mismatch', channel, id: channelTxnId })
  const taken = takeOver(order, 'MISMATCHED', context)
  const told = planNotices(order, [paymentNotice('payment.mismatched', event)], context)
  const paid = tryPaidBy(payAttempts, event)
  const set = { ...told.set, openTries: openTriesAfter(order, paid) }
  const freeze = freezeOrder(order, taskNoOf('REVIEW', bizNo), { cause, now }, set)
  const requestSnapshot = {
    channelTxnId,
    ordered: { amount: order.amount, currency: order.currency },
    paid: event.money,
    evidence: cause.evidence,
  }
  const { pk, orderNo } = order
  return [
    ...recordPayment(order, 'MISMATCHED', NOTHING, context),
    ...payTries(paid),
    ...(freeze.length > 0 ? freeze : [setOrCheck(order, set)]),
    ...told.writes,
    ...(taken?.writes ?? []),
    ...putTicket({ pk, bizNo, orderNo, channel, source: 'CALLBACK', reason, requestSnapshot }, context),
  ]
}
