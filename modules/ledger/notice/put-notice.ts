import { bizNoOf } from '../../core/biz-no.ts'
import type { PaymentEvent } from '../../core/decide-booking.ts'
import type { OrderNo } from '../../core/ids.ts'
import type { Notice, NoticeType } from '../../core/notice.ts'
import type { TaskContext, WriteContext } from '../context.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { OrderRow } from '../table/rows.ts'
import { putTask } from '../task/put-task.ts'

/** The tasks that tell the merchant, and what the order's own write must set beside: how many it was told of. */
export interface PlannedNotices {
  readonly set: { readonly notices?: number }
  readonly writes: readonly Write[]
}

const NO_NOTICES: PlannedNotices = { set: {}, writes: [] }

/**
 * Numbers the chosen ones of an order's notices from 1 without a gap, so that the merchant sees one that is missing and sets those
 * that overtook each other right. They are written with the change that they tell of, and with `set` on the order under the
 * revision that was seen: two writers never give out one number.
 */
export function planNotices(order: OrderRow, notices: readonly Notice[], context: WriteContext): PlannedNotices {
  const told = notices.filter(({ type }) => context.notices.has(type))
  if (told.length === 0) return NO_NOTICES
  const before = order.notices ?? 0
  const { pk, orderNo } = order
  return {
    set: { notices: before + told.length },
    writes: told.map((notice, index) => {
      const sequence = before + index + 1
      return putNotice({ pk, orderNo, eventId: `${orderNo}/${sequence}`, sequence, notice }, context)
    }),
  }
}

/** Money without an order has no number in any order's line. */
export function orphanNotice(
  { pk, orderNo, event }: { readonly pk: string; readonly orderNo: OrderNo | undefined; readonly event: PaymentEvent },
  context: WriteContext,
): readonly Write[] {
  if (!context.notices.has('payment.orphan')) return []
  const notice = paymentNotice('payment.orphan', event)
  return [putNotice({ pk, orderNo, eventId: `orphan/${event.channel}/${event.channelTxnId}`, notice }, context)]
}

/** What is told of an order that has moved; the state is in the type. */
export function orderNotice(
  type: Extract<NoticeType, `order.${string}`>,
  { amount, currency }: OrderRow,
  more: Notice['data'] = {},
): Notice {
  return { type, data: { amount, currency, ...more } }
}

/** What is told of a payment. */
export function paymentNotice(type: Extract<NoticeType, `payment.${string}`>, event: PaymentEvent): Notice {
  const { channel, channelTxnId, outTradeNo, money, paidAt } = event
  return { type, data: { channel, channelTxnId, outTradeNo, ...money, paidAt } }
}

/** What is told of a refund that was decided. */
export function refundNotice(refundNo: string, cause: string, { channel, channelTxnId, money }: PaymentEvent): Notice {
  return { type: 'refund.created', data: { refundNo, cause, channel, channelTxnId, ...money } }
}

interface NumberedNotice {
  readonly pk: string
  readonly orderNo: OrderNo | undefined
  readonly eventId: string
  readonly sequence?: number
  readonly notice: Notice
}

function putNotice({ pk, orderNo, eventId, sequence, notice }: NumberedNotice, context: TaskContext): Write {
  const bizNo = bizNoOf('NOTIFY', { eventId })
  const idempotencyKey = `ntf_${taskNoOf('NOTIFY', bizNo)}`
  const requestSnapshot = { type: notice.type, sequence, data: { ...notice.data } }
  const task = { pk, bizType: 'NOTIFY', bizNo, orderNo, source: 'POLICY', at: context.now } as const
  return putTask({ ...task, idempotencyKey, requestSnapshot }, context)
}
