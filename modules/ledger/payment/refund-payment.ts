import { bizNoOf } from '../../core/biz-no.ts'
import { countNotices, paymentNotice, planNotices, refundNotice } from '../notice/put-notice.ts'
import { rowIsNew } from '../table/conditions.ts'
import { refundGuard, refundSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { refundNoOf } from '../table/names.ts'
import type { OrderRow } from '../table/rows.ts'
import { put } from '../table/writes.ts'
import { putTask } from '../task/put-task.ts'
import type { BookingContext } from './book-payment-writes.ts'
import { recordPayment } from './record-payment.ts'

/** Money that the order does not need goes back: the payment, its refund and the task that carries it out. */
export function refundPayment(order: OrderRow, role: 'LATE' | 'SURPLUS', context: BookingContext): readonly Write[] {
  const { pk, orderNo } = order
  const { event, now } = context
  const { channel, channelTxnId, money } = event
  const refundNo = refundNoOf({ cause: role, orderNo, channel, channelTxnId }, 1)
  const news = paymentNotice(role === 'LATE' ? 'payment.late' : 'payment.surplus', event)
  const told = planNotices(order, [news, refundNotice(refundNo, role, event)], context)
  const refund = {
    pk,
    sk: refundSk(refundNo),
    et: 'REFUND',
    refundNo,
    cause: role,
    channel,
    channelTxnId,
    ...money,
    state: 'CREATED',
    wire: 1,
    run: 1,
    createdAt: now,
  } as const
  const bizNo = bizNoOf('REFUND', { refundNo })
  const task = { pk, bizType: 'REFUND', bizNo, orderNo, channel, source: 'POLICY', at: now } as const
  return [
    // The whole payment is reserved in the write that records it, before anything could be sent.
    ...recordPayment(order, role, money.amount, context),
    put(refund, rowIsNew),
    put({ ...refundGuard(refundNo), et: 'GUARD', orderNo, collection: pk }, rowIsNew),
    putTask({ ...task, idempotencyKey: `${refundNo}-1` }, context),
    // The decision rests on the order's state: it must still be the one that was seen.
    countNotices(order, told),
    ...told.writes,
  ]
}
