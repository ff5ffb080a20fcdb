import { bizNoOf } from '../../core/biz-no.ts'
import type { BookingDecision } from '../../core/decide-booking.ts'
import { stepOf } from '../../core/machine.ts'
import { NOTHING } from '../../core/money.ts'
import { lineMachine } from '../../core/stock-line.ts'
import { orderNotice, paymentNotice, planNotices } from '../notice/put-notice.ts'
import { moveOrder } from '../order/change-order.ts'
import { moveLine } from '../order/move-line.ts'
import { openTriesAfter } from '../order/open-tries.ts'
import { payTries, tryPaidBy } from '../pay-attempt/move-pay-attempt.ts'
import { moveStock } from '../stock/move-stock.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import { putTask } from '../task/put-task.ts'
import type { BookingContext, FileOfOrder } from './book-payment-writes.ts'
import { recordPayment } from './record-payment.ts'
import { takeOver } from './take-over.ts'

type Applied = Extract<BookingDecision, { kind: 'apply' }>

/** The order's own money: it is PAID, its lines are sold and delivered, and its other tries are closed at their channels. */
export function applyPayment(file: FileOfOrder, decision: Applied, context: BookingContext): readonly Write[] {
  const { order } = file
  const { event, cause, now } = context
  const notices = [orderNotice('order.paid', order), paymentNotice('payment.applied', event)]
  const told = planNotices(order, notices, context)
  const taken = takeOver(order, 'APPLIED', context)
  const paid = tryPaidBy(file.payAttempts, event)
  const sold = file.lines.filter(({ state }) => stepOf(lineMachine, state, 'sell') !== undefined)
  return [
    ...moveOrder(
      order,
      'pay',
      { cause, now },
      {
        set: { ...told.set, ...taken?.frozen, openTries: openTriesAfter(order, paid) },
        remove: ['duePk', 'dueAt'],
      },
    ),
    ...told.writes,
    ...recordPayment(order, 'APPLIED', NOTHING, context),
    ...(taken?.writes ?? []),
    ...payTries(paid),
    ...sold.flatMap((line) => sellAndDeliver(order, line, context)),
    ...moveStock('sell', sold),
    ...closeOthers(order, decision, context),
  ]
}

function closeOthers({ pk, orderNo }: OrderRow, { close }: Applied, context: BookingContext): readonly Write[] {
  return close.map(({ channel, outTradeNo }) => {
    const bizNo = bizNoOf('CLOSE_ATTEMPT', { channel, outTradeNo })
    const task = { pk, bizType: 'CLOSE_ATTEMPT', bizNo, orderNo, channel, source: 'POLICY' } as const
    return putTask({ ...task, at: context.now }, context)
  })
}

function sellAndDeliver({ pk, orderNo }: OrderRow, row: LineRow, context: BookingContext): readonly Write[] {
  const { line, sku, qty } = row
  const bizNo = bizNoOf('DELIVER', { orderNo, line })
  const deliveryNo = `dlv_${taskNoOf('DELIVER', bizNo)}`
  const task = { pk, bizType: 'DELIVER', bizNo, orderNo, source: 'POLICY', at: context.now } as const
  return [
    moveLine(row, 'sell', { set: { deliveryNo } }),
    putTask({ ...task, idempotencyKey: deliveryNo, requestSnapshot: { line, sku, qty } }, context),
  ]
}
