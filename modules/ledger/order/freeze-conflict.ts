import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import { taskNoOf } from '../table/names.ts'
import type { OrderRow, PaymentRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { putTicket } from '../task/put-task.ts'
import { type Cause, freezeOrder } from './change-order.ts'

/**
 * One transaction number with two stories: a ticket with both, and no automatic effect on any order that it touches.
 * Source: docs/design/flows.md, Decision table, row 2
 */
export function conflictWrites(
  pk: string,
  orders: readonly OrderRow[],
  payment: PaymentRow | undefined,
  event: PaymentEvent,
  cause: Cause,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const bizNo = `conflict/${event.channel}/${event.channelTxnId}`
  const orderNo = orders[0]?.orderNo
  return [
    ...orders.flatMap((order) => freezeOrder(order, taskNoOf('REVIEW', bizNo), cause, now)),
    ...putTicket(
      {
        pk,
        bizType: 'REVIEW',
        bizNo,
        ...(orderNo !== undefined && { orderNo }),
        channel: event.channel,
        source: 'CALLBACK',
        reason: cause.reason,
        requestSnapshot: {
          channelTxnId: event.channelTxnId,
          orders: orders.map(({ orderNo }) => orderNo),
          ...(payment !== undefined && {
            known: { orderNo: payment.orderNo, amount: payment.paid, currency: payment.currency },
          }),
          told: { outTradeNo: event.outTradeNo, ...event.money },
          evidence: cause.evidence,
        },
      },
      overrides,
      now,
    ),
  ]
}
