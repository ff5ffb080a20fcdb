import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import { type NoticeRules, orphanNotice } from '../notice/put-notice.ts'
import type { Location } from '../read/locate-order.ts'
import { rowIsNew, rowIsNewOrGuard } from '../table/conditions.ts'
import { ORPHANS_SK, orderKey, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/writes.ts'
import { putTicket } from '../task/put-task.ts'
import { orphanReviewNo } from './book-payment-writes.ts'
import { paymentItem } from './record-payment.ts'

/**
 * Money for which no order came within the ladder: kept under its own channel number, with a ticket.
 * Source: docs/design/flows.md, Decision table, row 3
 */
export function orphanWrites(
  location: Location,
  event: PaymentEvent,
  evidence: string,
  rules: NoticeRules,
  now: Instant,
): readonly Write[] {
  const { pk, orderNo } = location
  return [
    // An order that came a moment ago takes the payment as its own.
    ...(orderNo === undefined ? [] : [{ op: 'check' as const, key: orderKey(orderNo), when: rowIsNew }]),
    // An order that is being created from a file without this orphan must meet this row changed, and look again.
    ...(orderNo === undefined
      ? []
      : [
          {
            op: 'update' as const,
            key: { pk, sk: ORPHANS_SK },
            set: { v: 1, et: 'GUARD', orderNo, collection: pk },
            when: rowIsNewOrGuard,
          },
        ]),
    { op: 'put', when: rowIsNew, item: { pk, ...paymentItem(event, 'ORPHAN', 0, now) } },
    {
      op: 'put',
      when: rowIsNew,
      item: {
        ...transactionGuard(event.channel, event.channelTxnId),
        et: 'GUARD',
        ...(orderNo !== undefined && { orderNo }),
        collection: pk,
      },
    },
    ...putTicket(
      {
        pk,
        bizType: 'REVIEW',
        bizNo: orphanReviewNo(event),
        ...(orderNo !== undefined && { orderNo }),
        channel: event.channel,
        source: 'CALLBACK',
        reason: 'ORDER_NOT_FOUND',
        requestSnapshot: {
          outTradeNo: event.outTradeNo,
          channelTxnId: event.channelTxnId,
          paid: event.money,
          evidence,
        },
      },
      rules.overrides,
      now,
    ),
    ...orphanNotice(pk, orderNo, event, rules, now),
  ]
}
