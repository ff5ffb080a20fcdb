import type { PaymentEvent, SettlementDecision } from '../core/decide-settlement.ts'
import type { Instant } from '../core/instant.ts'
import { statesBefore } from '../core/machine.ts'
import type { MinorUnits } from '../core/money.ts'
import { payAttemptMachine } from '../core/pay-attempt.ts'
import type { PaymentRole } from '../core/payment.ts'
import { lineMachine } from '../core/stock-line.ts'
import type { PolicyOverrides } from '../core/task-policies.ts'
import { type Cause, freezeOrder, moveOrder } from './change-order.ts'
import { allOf, payAttemptStateIs, revIs, rowIsNew, taskIsManual } from './conditions.ts'
import { payAttemptSk, paymentSk, refundGuard, refundSk, taskSk, transactionGuard } from './keys.ts'
import { moveStock } from './move-stock.ts'
import { refundNoOf, taskNoOf } from './names.ts'
import { putTask, putTicket } from './put-task.ts'
import type { OrderFile } from './queries.ts'
import type { LineRow, OrderRow, PaymentRow } from './rows.ts'
import type { Write } from './writes.ts'

/** What a settlement writes needs beside the decision. */
export interface SettlementContext {
  readonly event: PaymentEvent
  readonly cause: Cause
  readonly overrides: PolicyOverrides
  readonly now: Instant
  /** The payment's own row where it exists already as an ORPHAN of this order. */
  readonly orphan?: PaymentRow
}

type Settled = Extract<SettlementDecision, { kind: 'apply' | 'refund' | 'mismatch' }>

/**
 * Everything that one decision about a payment changes, as one transaction: payment, guard, order, journal, payAttempts, lines
 * and follow-up tasks together or not at all.
 * Source: design.md section 5, decision table rows 4 to 7
 */
export function settlementWrites(
  file: OrderFile & { readonly order: OrderRow },
  decision: Settled,
  context: SettlementContext,
): readonly Write[] {
  return [...writesOf(file, decision, context), ...endOrphanTicket(context)]
}

function writesOf(
  file: OrderFile & { readonly order: OrderRow },
  decision: Settled,
  context: SettlementContext,
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
function endOrphanTicket({ event, orphan }: SettlementContext): readonly Write[] {
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
  decision: Extract<SettlementDecision, { kind: 'apply' }>,
  context: SettlementContext,
): readonly Write[] {
  const { order } = file
  const { overrides, now } = context
  const { paid } = decision
  return [
    ...moveOrder(order, 'pay', context.cause, now, { remove: ['duePk', 'dueAt'] }),
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

function sellAndDeliver(order: OrderRow, line: LineRow, { overrides, now }: SettlementContext): readonly Write[] {
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

function refundPayment(order: OrderRow, role: 'LATE' | 'SURPLUS', context: SettlementContext): readonly Write[] {
  const { event, overrides, now } = context
  const refundNo = refundNoOf(role, order.orderNo, event.channel, event.channelTxnId, 1)
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
    { op: 'check', key: { pk: order.pk, sk: order.sk }, when: revIs(order.rev) },
  ]
}

function holdMismatch(order: OrderRow, reason: 'AMOUNT' | 'CURRENCY', context: SettlementContext): readonly Write[] {
  const { event, overrides, now } = context
  const bizNo = `mismatch/${event.channel}/${event.channelTxnId}`
  const cause = { ...context.cause, reason: `MISMATCH_${reason}` }
  const freeze = freezeOrder(order, taskNoOf('REVIEW', bizNo), cause, now)
  return [
    ...recordPayment(order, 'MISMATCHED', 0, context),
    ...(freeze.length > 0
      ? freeze
      : [{ op: 'check' as const, key: { pk: order.pk, sk: order.sk }, when: revIs(order.rev) }]),
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

/** The payment row and the guard that makes its transaction number unique over all orders; or the orphan's new role. */
function recordPayment(
  order: OrderRow,
  role: PaymentRole,
  reserved: MinorUnits | 0,
  { event, now, orphan }: SettlementContext,
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
