import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import type { MinorUnits } from '../../core/money.ts'
import type { PaymentRole } from '../../core/payment.ts'
import { allOf, revIs, rowIsNew } from '../table/conditions.ts'
import { paymentSk, transactionGuard } from '../table/keys.ts'
import type { OrderRow, PaymentRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'

/** The payment row and the guard that makes its transaction number unique over all orders; or the orphan's new role. */
export function recordPayment(
  order: OrderRow,
  role: PaymentRole,
  reserved: MinorUnits | 0,
  { event, now, orphan }: { readonly event: PaymentEvent; readonly now: Instant; readonly orphan?: PaymentRow },
): readonly Write[] {
  if (orphan !== undefined && orphan.pk === order.pk) {
    return [
      {
        op: 'update',
        key: { pk: orphan.pk, sk: orphan.sk },
        set: { role, reserved, orderNo: order.orderNo },
        when: revIs(orphan.rev),
      },
    ]
  }
  return [
    {
      op: 'put',
      when: rowIsNew,
      item: { pk: order.pk, ...paymentItem(event, role, reserved, now), orderNo: order.orderNo },
    },
    guardWrite(order, event, orphan),
    ...(orphan === undefined
      ? []
      : [{ op: 'delete' as const, key: { pk: orphan.pk, sk: orphan.sk }, when: revIs(orphan.rev) }]),
  ]
}

function guardWrite(order: OrderRow, event: PaymentEvent, orphan: PaymentRow | undefined): Write {
  const key = transactionGuard(event.channel, event.channelTxnId)
  const holder = { orderNo: order.orderNo, collection: order.pk }
  if (orphan === undefined) return { op: 'put', when: rowIsNew, item: { ...key, et: 'GUARD', ...holder } }
  return {
    op: 'update',
    key,
    set: holder,
    when: allOf({
      name: 'guardHoldsOrphan',
      expression: '#collection = :orphanage',
      names: { '#collection': 'collection' },
      values: { ':orphanage': orphan.pk },
    }),
  }
}

/** A payment row's own attributes, keyed by the channel's number of the transaction. */
export function paymentItem(event: PaymentEvent, role: PaymentRole, reserved: MinorUnits | 0, now: Instant) {
  return {
    sk: paymentSk(event.channel, event.channelTxnId),
    et: 'PAYMENT',
    channel: event.channel,
    channelTxnId: event.channelTxnId,
    outTradeNo: event.outTradeNo,
    role,
    paid: event.money.amount,
    reserved,
    refunded: 0,
    currency: event.money.currency,
    paidAt: event.paidAt ?? now,
    settlement: 'PENDING',
  }
}
