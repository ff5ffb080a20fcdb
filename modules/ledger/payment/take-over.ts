import { takeOverAwaited, type UndoTicket } from '../../core/decide-undo.ts'
import type { PaymentRole } from '../../core/payment.ts'
import { freezeOrder } from '../order/change-order.ts'
import { toldMovementWrites } from '../refund/told-movement-writes.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow } from '../table/rows.ts'
import type { SetOf } from '../table/write-types.ts'
import { raiseTicket } from '../ticket/raise-ticket.ts'
import { endLooks } from './await-payment.ts'
import type { BookingContext } from './book-payment-writes.ts'
import { heardOf, moneyOf } from './payment-figures.ts'

export interface TakenOver {
  /** What an automatic refund may give back, in minor units. */
  readonly refundable: number
  /** The order's own write where it is frozen and not moved: it takes the place of the caller's. Absent: not frozen. */
  readonly freeze?: (alsoSet: SetOf<'ORDER'>) => readonly Write[]
  /** What the order's move sets beside, where it is frozen. */
  readonly frozen?: SetOf<'ORDER'>
  /** Movements that were heard, tickets that open or end. */
  readonly writes: readonly Write[]
}

/**
 * What follows when the payment comes whose undoing was heard first; `undefined` for every other payment.
 * @param role what the payment is to its order
 */
export function takeOver(
  order: OrderRow,
  role: Exclude<PaymentRole, 'AWAITED'>,
  context: BookingContext,
): TakenOver | undefined {
  const { before, event, cause, now } = context
  if (before?.payment.role !== 'AWAITED') return undefined
  const { payment, tasks } = before
  const money = { ...moneyOf(payment, []), paid: event.money.amount }
  const { refundable, freeze, tickets } = takeOverAwaited(role, money)
  const home = { ...payment, pk: order.pk, orderNo: order.orderNo, currency: event.money.currency }
  const raised = tickets.map((kind) =>
    raiseTicket(payment.pk === order.pk ? tasks : [], factOf(order, context, kind), context),
  )
  const kept = new Set(raised.map(({ taskNo }) => taskNo))
  const [first] = raised
  const isFrozen = freeze && first !== undefined && order.frozen === undefined
  return {
    refundable,
    ...(isFrozen && {
      frozen: { frozen: { taskNo: first.taskNo, reason: 'MONEY_UNDONE', at: now } },
      freeze: (alsoSet: SetOf<'ORDER'>) =>
        freezeOrder(order, first.taskNo, { cause: { ...cause, reason: 'MONEY_UNDONE' }, now }, alsoSet),
    }),
    writes: [
      ...heardOf(payment).flatMap((one) => toldMovementWrites(home, undefined, one, now)),
      ...raised.flatMap(({ writes }) => writes),
      // A look that has become a ticket is no longer one.
      ...endLooks(
        tasks.filter(({ taskNo }) => payment.pk !== order.pk || !kept.has(taskNo)),
        payment,
      ),
    ],
  }
}

function factOf(order: OrderRow, { event, cause }: BookingContext, kind: UndoTicket) {
  const { channel, channelTxnId } = event
  const reason = kind === 'dispute' ? 'DISPUTE' : 'MONEY_UNDONE'
  const { pk, orderNo } = order
  return { pk, orderNo, kind, channel, id: channelTxnId, reason, evidence: cause.evidence, details: { channelTxnId } }
}
