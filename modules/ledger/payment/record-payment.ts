import { balanceOf } from '../../core/balance.ts'
import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import { type MinorUnits, NOTHING } from '../../core/money.ts'
import type { PaymentRole } from '../../core/payment.ts'
import { collectionIs, revIs, rowIsNew } from '../table/conditions.ts'
import { paymentSk, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, PaymentRow } from '../table/rows.ts'
import { drop, put, update } from '../table/writes.ts'
import type { BookingContext } from './book-payment-writes.ts'
import { figures, moneyOf } from './payment-figures.ts'

/**
 * The payment row with its figures and the guard that makes its transaction number unique over all orders; or what an ORPHAN or
 * AWAITED one becomes.
 * @param reserved what a refund of ours takes in this very transaction
 */
export function recordPayment(
  order: OrderRow,
  role: Exclude<PaymentRole, 'AWAITED'>,
  reserved: MinorUnits,
  context: Pick<BookingContext, 'event' | 'now' | 'before'>,
): readonly Write[] {
  const { pk, orderNo } = order
  const { event, before } = context
  const payment = { ...newPayment(event, role, reserved, context.now), ...carried(context, reserved), orderNo }
  const known = before?.payment
  if (known?.pk === pk) {
    const { sk: _sk, et: _et, ...set } = payment
    return [update(known, { set, remove: known.heard === undefined ? [] : ['heard'] }, revIs(known.rev))]
  }
  return [
    put({ pk, ...payment }, rowIsNew),
    guardWrite(order, event, known),
    ...(known === undefined ? [] : [drop(known, revIs(known.rev))]),
  ]
}

/** What was told of the payment before it came, and what is free of it after this transaction. */
function carried({ event, before }: Pick<BookingContext, 'event' | 'before'>, reserved: MinorUnits) {
  const paid = event.money.amount
  if (before?.payment.role !== 'AWAITED') return { free: paid - reserved }
  const { movements, tellings, amountUnknown } = moneyOf(before.payment, [])
  const ours = { cause: 'LATE', state: 'CREATED', amount: reserved } as const
  return {
    ...figures(balanceOf(paid, [...movements, ours], tellings), tellings),
    amountUnknown: amountUnknown || undefined,
  }
}

function guardWrite({ orderNo, pk: collection }: OrderRow, event: PaymentEvent, known: PaymentRow | undefined): Write {
  const guard = { ...transactionGuard(event.channel, event.channelTxnId), et: 'GUARD' } as const
  if (known === undefined) return put({ ...guard, orderNo, collection }, rowIsNew)
  return update(guard, { set: { orderNo, collection } }, collectionIs(known.pk))
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
