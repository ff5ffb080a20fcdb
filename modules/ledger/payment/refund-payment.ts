import { NOTHING, toMinorUnits } from '../../core/money.ts'
import { paymentNotice, planNotices, refundNotice } from '../notice/put-notice.ts'
import { openTriesAfter } from '../order/open-tries.ts'
import { setOrCheck } from '../order/set-or-check.ts'
import { payTries, tryPaidBy } from '../pay-attempt/move-pay-attempt.ts'
import { putRefund } from '../refund/put-refund.ts'
import type { Write } from '../table/make-write.ts'
import type { BookingContext, FileOfOrder } from './book-payment-writes.ts'
import { recordPayment } from './record-payment.ts'
import { takeOver } from './take-over.ts'

/** Money that the order does not need goes back: the payment, its refund and the task that carries it out. */
export function refundPayment(
  { order, payAttempts }: FileOfOrder,
  role: 'LATE' | 'SURPLUS',
  context: BookingContext,
): readonly Write[] {
  const { pk, orderNo } = order
  const { event } = context
  const { channel, channelTxnId, money } = event
  const taken = takeOver(order, role, context)
  // What is back with the buyer already is never sent again.
  const amount = taken === undefined ? money.amount : toMinorUnits(taken.refundable)
  const news = paymentNotice(role === 'LATE' ? 'payment.late' : 'payment.surplus', event)
  const refund = putRefund(
    { pk, orderNo, cause: role, channel, channelTxnId, money: { ...money, amount }, key: '1' },
    context,
  )
  const isOwed = amount > 0
  const notices = isOwed
    ? [news, refundNotice(refund.refundNo, role, { ...event, money: { ...money, amount } })]
    : [news]
  const told = planNotices(order, notices, context)
  const paid = tryPaidBy(payAttempts, event)
  const set = { ...told.set, openTries: openTriesAfter(order, paid) }
  return [
    // What goes back is reserved in the write that records the payment, before anything could be sent.
    ...recordPayment(order, role, isOwed ? amount : NOTHING, context),
    ...payTries(paid),
    ...(isOwed ? refund.writes : []),
    ...(taken?.freeze?.(set) ?? [setOrCheck(order, set)]),
    ...(taken?.writes ?? []),
    ...told.writes,
  ]
}
