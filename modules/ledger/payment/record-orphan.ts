import { balanceOf } from '../../core/balance.ts'
import { type BizNo, bizNoOf } from '../../core/biz-no.ts'
import type { PaymentEvent } from '../../core/decide-booking.ts'
import { NOTHING } from '../../core/money.ts'
import type { WriteContext } from '../context.ts'
import { orphanNotice } from '../notice/put-notice.ts'
import type { Location } from '../read/locate-order.ts'
import { toldMovementWrites } from '../refund/told-movement-writes.ts'
import { collectionIs, revIs, rowIsNew, rowIsNewOr } from '../table/conditions.ts'
import { ORPHANS_SK, orderKey, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { PaymentRow, TaskRow } from '../table/rows.ts'
import { check, drop, put, update, upsert } from '../table/writes.ts'
import { putTicket } from '../task/put-task.ts'
import { endLooks } from './await-payment.ts'
import { figures, heardOf, moneyOf } from './payment-figures.ts'
import { newPayment } from './record-payment.ts'

/** What an orphan's ticket is called, so that the order's late arrival can end it. */
export const orphanReviewNo = ({ channel, channelTxnId }: PaymentEvent): BizNo<'REVIEW'> =>
  bizNoOf('REVIEW', { kind: 'orphan', channel, id: channelTxnId })

/** Money for which no order came within the ladder: kept under its own channel number, with a ticket. */
export function orphanWrites(
  location: Location,
  event: PaymentEvent,
  { evidence, before }: { readonly evidence: string; readonly before?: OrphanBefore | undefined },
  context: WriteContext,
): readonly Write[] {
  const { pk, orderNo } = location
  const { channel, channelTxnId, outTradeNo } = event
  const guard = { ...transactionGuard(channel, channelTxnId), et: 'GUARD' } as const
  const requestSnapshot = { outTradeNo, channelTxnId, paid: event.money, evidence }
  const ticket = { pk, bizNo: orphanReviewNo(event), orderNo, channel, source: 'CALLBACK', requestSnapshot } as const
  return [
    ...whileOrderIsAway(location),
    ...(before === undefined
      ? [
          put({ pk, ...newPayment(event, 'ORPHAN', NOTHING, context.now) }, rowIsNew),
          put({ ...guard, orderNo, collection: pk }, rowIsNew),
        ]
      : takeAwaited(location, event, before, context)),
    ...putTicket({ ...ticket, reason: 'ORDER_NOT_FOUND' }, context),
    ...orphanNotice({ pk, orderNo, event }, context),
  ]
}

/** The row of a payment whose undoing was heard first, and the tasks of its collection. */
export interface OrphanBefore {
  readonly payment: PaymentRow
  readonly tasks: readonly TaskRow[]
}

/** The money is told after all, with no order: its row keeps what was heard, and its own ticket has the evidence. */
function takeAwaited(
  { pk, orderNo }: Location,
  event: PaymentEvent,
  { payment, tasks }: OrphanBefore,
  context: WriteContext,
): readonly Write[] {
  const { movements, tellings } = moneyOf(payment, [])
  const known = figures(balanceOf(event.money.amount, movements, tellings), tellings)
  const { sk, et, ...told } = { ...newPayment(event, 'ORPHAN', NOTHING, context.now), ...known }
  const { amountUnknown } = payment
  const home = { ...payment, pk, currency: event.money.currency }
  const guard = { ...transactionGuard(event.channel, event.channelTxnId), et: 'GUARD' } as const
  const moved =
    payment.pk === pk
      ? [update(payment, { set: told, remove: payment.heard === undefined ? [] : ['heard'] }, revIs(payment.rev))]
      : [
          put({ pk, sk, et, ...told, amountUnknown }, rowIsNew),
          update(guard, { set: { orderNo, collection: pk } }, collectionIs(payment.pk)),
          drop(payment, revIs(payment.rev)),
        ]
  return [
    ...moved,
    ...heardOf(payment).flatMap((one) => toldMovementWrites(home, undefined, one, context.now)),
    ...endLooks(tasks, payment),
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
