import { type BizNo, bizNoOf } from '../../core/biz-no.ts'
import type { PaymentEvent } from '../../core/decide-booking.ts'
import { NOTHING } from '../../core/money.ts'
import type { WriteContext } from '../context.ts'
import { orphanNotice } from '../notice/put-notice.ts'
import type { Location } from '../read/locate-order.ts'
import { rowIsNew, rowIsNewOr } from '../table/conditions.ts'
import { ORPHANS_SK, orderKey, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { check, put, upsert } from '../table/writes.ts'
import { putTicket } from '../task/put-task.ts'
import { newPayment } from './record-payment.ts'

/** What an orphan's ticket is called, so that the order's late arrival can end it. */
export const orphanReviewNo = ({ channel, channelTxnId }: PaymentEvent): BizNo<'REVIEW'> =>
  bizNoOf('REVIEW', { kind: 'orphan', channel, id: channelTxnId })

/** Money for which no order came within the ladder: kept under its own channel number, with a ticket. */
export function orphanWrites(
  location: Location,
  event: PaymentEvent,
  evidence: string,
  context: WriteContext,
): readonly Write[] {
  const { pk, orderNo } = location
  const { channel, channelTxnId, outTradeNo } = event
  const guard = { ...transactionGuard(channel, channelTxnId), et: 'GUARD' } as const
  const requestSnapshot = { outTradeNo, channelTxnId, paid: event.money, evidence }
  const ticket = { pk, bizNo: orphanReviewNo(event), orderNo, channel, source: 'CALLBACK', requestSnapshot } as const
  return [
    ...whileOrderIsAway(location),
    put({ pk, ...newPayment(event, 'ORPHAN', NOTHING, context.now) }, rowIsNew),
    put({ ...guard, orderNo, collection: pk }, rowIsNew),
    ...putTicket({ ...ticket, reason: 'ORDER_NOT_FOUND' }, context),
    ...orphanNotice({ pk, orderNo, event }, context),
  ]
}

function whileOrderIsAway({ pk, orderNo }: Location): readonly Write[] {
  if (orderNo === undefined) return []
  return [
    // An order that came a moment ago takes the payment as its own.
    check(orderKey(orderNo), rowIsNew),
    // An order that is being created from a file without this orphan must meet this row changed, and look again.
    upsert({ pk, sk: ORPHANS_SK, et: 'GUARD' }, { orderNo, collection: pk }, rowIsNewOr('GUARD')),
  ]
}
