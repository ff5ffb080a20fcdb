import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import { type MinorUnits, NOTHING } from '../../core/money.ts'
import type { PaymentRole } from '../../core/payment.ts'
import { collectionIs, revIs, rowIsNew } from '../table/conditions.ts'
import { paymentSk, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, PaymentRow } from '../table/rows.ts'
import { drop, put, update } from '../table/writes.ts'

/** The payment row and the guard that makes its transaction number unique over all orders; or the orphan's new role. */
export function recordPayment(
  order: OrderRow,
  role: PaymentRole,
  reserved: MinorUnits,
  { event, now, orphan }: { readonly event: PaymentEvent; readonly now: Instant; readonly orphan?: PaymentRow },
): readonly Write[] {
  const { pk, orderNo } = order
  if (orphan !== undefined && orphan.pk === pk) {
    return [update(orphan, { set: { role, reserved, orderNo } }, revIs(orphan.rev))]
  }
  return [
    put({ pk, ...newPayment(event, role, reserved, now), orderNo }, rowIsNew),
    guardWrite(order, event, orphan),
    ...(orphan === undefined ? [] : [drop(orphan, revIs(orphan.rev))]),
  ]
}

function guardWrite({ orderNo, pk: collection }: OrderRow, event: PaymentEvent, orphan: PaymentRow | undefined): Write {
  const guard = { ...transactionGuard(event.channel, event.channelTxnId), et: 'GUARD' } as const
  if (orphan === undefined) return put({ ...guard, orderNo, collection }, rowIsNew)
  return update(guard, { set: { orderNo, collection } }, collectionIs(orphan.pk))
}

/** A payment row's own attributes, keyed by the channel's number of the transaction. */
export function newPayment(event: PaymentEvent, role: PaymentRole, reserved: MinorUnits, now: Instant) {
  return {
    sk: paymentSk(event.channel, event.channelTxnId),
    et: 'PAYMENT' as const,
    channel: event.channel,
    channelTxnId: event.channelTxnId,
    outTradeNo: event.outTradeNo,
    role,
    paid: event.money.amount,
    reserved,
    refunded: NOTHING,
    currency: event.money.currency,
    paidAt: event.paidAt ?? now,
    settlement: 'PENDING' as const,
  }
}
