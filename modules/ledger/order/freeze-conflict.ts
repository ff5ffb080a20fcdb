import { bizNoOf } from '../../core/biz-no.ts'
import type { ChannelEvent } from '../../core/channel-event.ts'
import type { ChannelTxnId } from '../../core/ids.ts'
import type { TaskContext } from '../context.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { OrderRow, PaymentRow } from '../table/rows.ts'
import { putTicket } from '../task/put-task.ts'
import { type Cause, freezeOrder } from './change-order.ts'

/** One transaction number with two stories, or a number that leads to two orders. */
export interface Conflict {
  readonly pk: string
  /** Every order that it touches. */
  readonly orders: readonly OrderRow[]
  /** The payment that the event contradicts; absent where its number alone leads to two orders. */
  readonly payment?: PaymentRow | undefined
  readonly event: ChannelEvent & { readonly channelTxnId: ChannelTxnId }
}

/** A ticket with both stories, and no automatic effect on any order that they touch. */
export function conflictWrites(
  { pk, orders, payment, event }: Conflict,
  cause: Cause,
  context: TaskContext,
): readonly Write[] {
  const { channel, channelTxnId } = event
  const bizNo = bizNoOf('REVIEW', { kind: 'conflict', channel, id: channelTxnId })
  const requestSnapshot = {
    channelTxnId,
    orders: orders.map(({ orderNo }) => orderNo),
    ...(payment !== undefined && {
      known: { orderNo: payment.orderNo, amount: payment.paid, currency: payment.currency },
    }),
    told: { outTradeNo: event.outTradeNo, ...event.money },
    evidence: cause.evidence,
  }
  const orderNo = orders[0]?.orderNo
  const ticket = { pk, bizNo, orderNo, channel, source: 'CALLBACK', reason: cause.reason, requestSnapshot } as const
  return [
    ...orders.flatMap((order) => freezeOrder(order, taskNoOf('REVIEW', bizNo), { cause, now: context.now })),
    ...putTicket(ticket, context),
  ]
}
