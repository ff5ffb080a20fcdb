import type { Machine } from './machine.ts'

export const orderStatuses = [
  'WAIT_PAY',
  'PAYING',
  'PAY_FAILED',
  'PAID',
  'DELIVERED',
  'COMPLETED',
  'CLOSED',
  'REFUNDING',
  'REFUNDED',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

export type OrderEvent =
  | 'startAttempt'
  | 'failAllPayAttempts'
  | 'pay'
  | 'close'
  | 'deliver'
  | 'complete'
  | 'startRefund'
  | 'refundAll'
  /** Money that was undone without us, on a decision or by the policy that records it. */
  | 'undo'
  | 'returnToPaid'
  | 'returnToDelivered'
  | 'returnToCompleted'

/** Second field of an order, written only by reconciliation. */
export const settlements = ['PENDING', 'MATCHED', 'MISMATCHED', 'NOT_APPLICABLE'] as const

/** Where an order can come from when its money goes back, and where it returns to when the refund is refused. */
export const refundableStatuses = ['PAID', 'DELIVERED', 'COMPLETED'] as const satisfies readonly OrderStatus[]

/**
 * The life of an order. `CLOSED` has no edge to `PAID`: money for a closed order is refunded, the order stays closed.
 * Source: docs/design/states.md, Order
 */
export const orderMachine: Machine<OrderStatus, OrderEvent> = {
  name: 'order',
  initial: ['WAIT_PAY'],
  final: ['CLOSED', 'REFUNDED'],
  edges: {
    WAIT_PAY: { startAttempt: 'PAYING', pay: 'PAID', close: 'CLOSED' },
    PAYING: { failAllPayAttempts: 'PAY_FAILED', pay: 'PAID', close: 'CLOSED' },
    PAY_FAILED: { startAttempt: 'PAYING', pay: 'PAID', close: 'CLOSED' },
    PAID: { deliver: 'DELIVERED', startRefund: 'REFUNDING', undo: 'REFUNDED' },
    DELIVERED: { complete: 'COMPLETED', startRefund: 'REFUNDING', undo: 'REFUNDED' },
    COMPLETED: { startRefund: 'REFUNDING', undo: 'REFUNDED' },
    CLOSED: {},
    REFUNDING: {
      refundAll: 'REFUNDED',
      returnToPaid: 'PAID',
      returnToDelivered: 'DELIVERED',
      returnToCompleted: 'COMPLETED',
    },
    REFUNDED: {},
  },
}

/** What may still take a payment as its own. */
export type PayableStatus = 'WAIT_PAY' | 'PAYING' | 'PAY_FAILED'

export function isPayable(status: OrderStatus): status is PayableStatus {
  return orderMachine.edges[status].pay !== undefined
}
