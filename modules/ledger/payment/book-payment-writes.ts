import type { BookingDecision, PaymentEvent } from '../../core/decide-booking.ts'
import type { Instant } from '../../core/instant.ts'
import { statesBefore } from '../../core/machine.ts'
import { payAttemptMachine } from '../../core/pay-attempt.ts'
import { lineMachine } from '../../core/stock-line.ts'
import {
  countNotices,
  type NoticeRules,
  orderNotice,
  paymentNotice,
  planNotices,
  refundNotice,
} from '../notice/put-notice.ts'
import { type Cause, freezeOrder, moveOrder } from '../order/change-order.ts'
import type { OrderFile } from '../read/queries.ts'
import { moveStock } from '../stock/move-stock.ts'
import { payAttemptStateIs, revIs, rowIsNew, taskIsManual } from '../table/conditions.ts'
import { payAttemptSk, refundGuard, refundSk, taskSk } from '../table/keys.ts'
import { refundNoOf, taskNoOf } from '../table/names.ts'
import type { LineRow, OrderRow, PaymentRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { putTask, putTicket } from '../task/put-task.ts'
import { recordPayment } from './record-payment.ts'

/** What a booking writes needs beside the decision. */
export interface BookingContext extends NoticeRules {
  readonly event: PaymentEvent
  readonly cause: Cause
  readonly now: Instant
  /** The payment's own row where it exists already as an ORPHAN of this order. */
  readonly orphan?: PaymentRow
}

type Booked = Extract<BookingDecision, { kind: 'apply' | 'refund' | 'mismatch' }>

/**
 * Everything that one decision about a payment changes, as one transaction: payment, guard, order, journal, payAttempts, lines
 * and follow-up tasks together or not at all.
 * Source: docs/design/flows.md, Decision table, rows 4 to 7
 */
export function bookingWrites(
  file: OrderFile & { readonly order: OrderRow },
  decision: Booked,
  context: BookingContext,
): readonly Write[] {
  return [...writesOf(file, decision, context), ...endOrphanTicket(context)]
}

function writesOf(
  file: OrderFile & { readonly order: OrderRow },
  decision: Booked,
  context: BookingContext,
): readonly Write[] {
  switch (decision.kind) {
    case 'apply':
      return applyPayment(file, decision, context)
    case 'refund':
      return refundPayment(file.order, decision.role, context)
    case 'mismatch':
      return holdMismatch(file.order, decision.reason, context)
  }
}

/** The order came after all: its money needs no person any more, unless one has ended the ticket already. */
function endOrphanTicket({ event, orphan }: BookingContext): readonly Write[] {
  if (orphan === undefined) return []
  return [
    {
      op: 'update',
      key: { pk: orphan.pk, sk: taskSk(taskNoOf('REVIEW', orphanReviewNo(event))) },
      set: { status: 'SUCCESS', resultSnapshot: { endedBecause: 'ORDER_ARRIVED' } },
      remove: ['duePk', 'dueAt', 'findPk', 'findSk'],
      when: taskIsManual,
      optional: true,
    },
  ]
}

/** What an orphan's ticket is called, so that the order's late arrival can end it. */
export const orphanReviewNo = (event: PaymentEvent): string => `orphan/${event.channel}/${event.channelTxnId}`

function applyPayment(
  file: OrderFile & { readonly order: OrderRow },
  decision: Extract<BookingDecision, { kind: 'apply' }>,
  context: BookingContext,
): readonly Write[] {
  const { order } = file
  const { event, overrides, now } = context
  const { paid } = decision
  const notices = [orderNotice('order.paid', order), paymentNotice('payment.applied', event)]
  const told = planNotices(order, notices, context, now)
  return [
    ...moveOrder(order, 'pay', context.cause, now, { set: told.set, remove: ['duePk', 'dueAt'] }),
    ...told.writes,
    ...recordPayment(order, 'APPLIED', 0, context),
    ...(paid === undefined
      ? []
      : [
          {
            op: 'update' as const,
            key: { pk: order.pk, sk: payAttemptSk(paid.channel, paid.outTradeNo) },
            set: { state: 'PAID' },
            when: payAttemptStateIs(...statesBefore(payAttemptMachine, 'pay')),
          },
        ]),
    ...file.lines.flatMap((line) => sellAndDeliver(order, line, context)),
    ...moveStock(
      'sell',
      file.lines.filter(({ state }) => lineMachine.edges[state].sell !== undefined),
    ),
    ...decision.close.map(({ channel, outTradeNo }) =>
      putTask(
        {
          pk: order.pk,
          bizType: 'CLOSE_ATTEMPT',
          bizNo: `${channel}/${outTradeNo}`,
          orderNo: order.orderNo,
          channel,
          source: 'POLICY',
          at: now,
        },
        overrides,
        now,
      ),
    ),
  ]
}

function sellAndDeliver(order: OrderRow, line: LineRow, { overrides, now }: BookingContext): readonly Write[] {
  const state = lineMachine.edges[line.state].sell
  if (state === undefined) return []
  const bizNo = `${order.orderNo}/${line.line}`
  return [
    {
      op: 'update',
      key: { pk: line.pk, sk: line.sk },
      set: { state, deliveryNo: `dlv_${taskNoOf('DELIVER', bizNo)}` },
      when: revIs(line.rev),
    },
    putTask(
      {
        pk: order.pk,
        bizType: 'DELIVER',
        bizNo,
        orderNo: order.orderNo,
        source: 'POLICY',
        at: now,
        idempotencyKey: `dlv_${taskNoOf('DELIVER', bizNo)}`,
        requestSnapshot: { line: line.line, sku: line.sku, qty: line.qty },
      },
      overrides,
      now,
    ),
  ]
}

function refundPayment(order: OrderRow, role: 'LATE' | 'SURPLUS', context: BookingContext): readonly Write[] {
  const { event, overrides, now } = context
  const refundNo = refundNoOf(role, order.orderNo, event.channel, event.channelTxnId, 1)
  const money = paymentNotice(role === 'LATE' ? 'payment.late' : 'payment.surplus', event)
  const told = planNotices(order, [money, refundNotice(refundNo, role, event)], context, now)
  return [
    // The whole payment is reserved in the write that records it, before anything could be sent.
    ...recordPayment(order, role, event.money.amount, context),
    {
      op: 'put',
      when: rowIsNew,
      item: {
        pk: order.pk,
        sk: refundSk(refundNo),
        et: 'REFUND',
        refundNo,
        cause: role,
        channel: event.channel,
        channelTxnId: event.channelTxnId,
        amount: event.money.amount,
        currency: event.money.currency,
        state: 'CREATED',
        wire: 1,
        run: 1,
        createdAt: now,
      },
    },
    {
      op: 'put',
      when: rowIsNew,
      item: { ...refundGuard(refundNo), et: 'GUARD', orderNo: order.orderNo, collection: order.pk },
    },
    putTask(
      {
        pk: order.pk,
        bizType: 'REFUND',
        bizNo: refundNo,
        orderNo: order.orderNo,
        channel: event.channel,
        source: 'POLICY',
        at: now,
        idempotencyKey: `${refundNo}-1`,
      },
      overrides,
      now,
    ),
    // The decision rests on the order's state: it must still be the one that was seen.
    countNotices(order, told),
    ...told.writes,
  ]
}

function holdMismatch(order: OrderRow, reason: 'AMOUNT' | 'CURRENCY', context: BookingContext): readonly Write[] {
  const { event, overrides, now } = context
  const bizNo = `mismatch/${event.channel}/${event.channelTxnId}`
  const cause = { ...context.cause, reason: `MISMATCH_${reason}` }
  const told = planNotices(order, [paymentNotice('payment.mismatched', event)], context, now)
  const freeze = freezeOrder(order, taskNoOf('REVIEW', bizNo), cause, now, told.set)
  return [
    ...recordPayment(order, 'MISMATCHED', 0, context),
    ...(freeze.length > 0 ? freeze : [countNotices(order, told)]),
    ...told.writes,
    ...putTicket(
      {
        pk: order.pk,
        bizType: 'REVIEW',
        bizNo,
        orderNo: order.orderNo,
        channel: event.channel,
        source: 'CALLBACK',
        reason: `MISMATCH_${reason}`,
        requestSnapshot: {
          channelTxnId: event.channelTxnId,
          ordered: { amount: order.amount, currency: order.currency },
          paid: event.money,
          evidence: context.cause.evidence,
        },
      },
      overrides,
      now,
    ),
  ]
}
