import type { ChannelEvent } from './channel-event.ts'
import type { ChannelId, ChannelTxnId, OrderNo, OutTradeNo } from './ids.ts'
import { type Money, sameMoney } from './money.ts'
import { isPayable, type OrderStatus } from './order.ts'
import { isOpen, type PayAttemptState, payAttemptMachine } from './pay-attempt.ts'
import type { AutomaticRefundCause, PaymentRole } from './payment.ts'

/** A payment as the decision needs it: who paid what, under which channel number. */
export interface PaymentEvent extends ChannelEvent {
  readonly kind: 'payment'
  /** A hint decides nothing. */
  readonly trust: 'fact'
  readonly channelTxnId: ChannelTxnId
  readonly money: Money
}

/** What the ledger knows of the order that an event names. */
export interface BookingFile {
  /** The order that the payAttempt's guard, else the number itself, leads to. */
  readonly order?: { readonly orderNo: OrderNo; readonly status: OrderStatus; readonly money: Money }
  readonly payAttempts: readonly {
    readonly channel: ChannelId
    readonly outTradeNo: OutTradeNo
    readonly state: PayAttemptState
  }[]
  /** The number is one order's payAttempt and another order's name. */
  readonly namesTwoOrders?: boolean
  /** The row of this very (channel, channelTxnId), wherever it stands. */
  readonly payment?: {
    readonly orderNo?: OrderNo
    readonly outTradeNo?: OutTradeNo
    readonly money: Money
    readonly role: PaymentRole
  }
}

export type BookingDecision =
  /** The same fact once more: counted, nothing else. */
  | { readonly kind: 'duplicate' }
  /** One transaction, two stories: a person, and no automatic effect until then. */
  | { readonly kind: 'conflict'; readonly reason: 'TXN_OTHER_ORDER' | 'TXN_OTHER_MONEY' | 'NUMBER_OF_TWO_ORDERS' }
  | { readonly kind: 'orderUnknown' }
  | { readonly kind: 'mismatch'; readonly reason: 'AMOUNT' | 'CURRENCY' }
  | { readonly kind: 'refund'; readonly role: AutomaticRefundCause }
  | {
      readonly kind: 'apply'
      /** The payAttempt that became PAID, when it is one of ours and its state has that edge. */
      readonly paid?: PayAttemptKey
      /** The others that the buyer could still pay: each is closed at its channel. */
      readonly close: readonly PayAttemptKey[]
    }

export interface PayAttemptKey {
  readonly channel: ChannelId
  readonly outTradeNo: OutTradeNo
}

/**
 * What one payment means for its order: the decision table of docs/design/flows.md. Callback, query and bill all go
 * through it, so whoever comes second does nothing. Pure: the same file and event give the same decision.
 */
export function decideBooking(file: BookingFile, event: PaymentEvent): BookingDecision {
  const { order, payment } = file
  if (payment !== undefined) {
    const orderArrived = payment.role === 'ORPHAN' && order !== undefined
    if (!sameMoney(payment.money, event.money)) return { kind: 'conflict', reason: 'TXN_OTHER_MONEY' }
    if (namesAnotherOrder(file)) return { kind: 'conflict', reason: 'TXN_OTHER_ORDER' }
    if (!orderArrived) return { kind: 'duplicate' }
  }
  if (file.namesTwoOrders === true) return { kind: 'conflict', reason: 'NUMBER_OF_TWO_ORDERS' }
  if (order === undefined) return { kind: 'orderUnknown' }
  if (order.money.currency !== event.money.currency) return { kind: 'mismatch', reason: 'CURRENCY' }
  if (order.money.amount !== event.money.amount) return { kind: 'mismatch', reason: 'AMOUNT' }
  if (order.status === 'CLOSED') return { kind: 'refund', role: 'LATE' }
  if (!isPayable(order.status)) return { kind: 'refund', role: 'SURPLUS' }
  return applyTo(file.payAttempts, event)
}

/** Only a number that leads to an order can contradict the transaction's own: a cart's id or an old text leads nowhere. */
function namesAnotherOrder({ order, payment }: BookingFile): boolean {
  return order !== undefined && payment?.orderNo !== undefined && payment.orderNo !== order.orderNo
}

function applyTo(payAttempts: BookingFile['payAttempts'], event: PaymentEvent): BookingDecision {
  const isPaid = (attempt: PayAttemptKey): boolean =>
    attempt.channel === event.channel && attempt.outTradeNo === event.outTradeNo
  const paid = payAttempts.find(isPaid)
  const close = payAttempts.filter((attempt) => !isPaid(attempt) && isOpen(attempt.state)).map(keyOf)
  const moves = paid !== undefined && payAttemptMachine.edges[paid.state].pay !== undefined
  return { kind: 'apply', close, ...(moves && { paid: keyOf(paid) }) }
}

function keyOf({ channel, outTradeNo }: PayAttemptKey): PayAttemptKey {
  return { channel, outTradeNo }
}
