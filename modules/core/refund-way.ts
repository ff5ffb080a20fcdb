import type { OrderStatus } from './order.ts'

/** Figures of the APPLIED payment after the write, in minor units. */
export interface RefundFigures {
  readonly paid: number
  /** Certainly away. */
  readonly gone: number
  /** Our own refunds that are not refused and not over. */
  readonly ownOpen: number
}

/** Where the order goes when a refund of its APPLIED payment begins, ends or is heard of. */
export type RefundWay = 'startRefund' | 'refundAll' | 'wayBack' | 'stay'

/**
 * Only a refund that leaves nothing of the APPLIED payment moves the order: a price reduction before delivery must not stop the
 * delivery. Decided by the figures after the write, whatever wrote them. Source: docs/design/money-back.md
 */
export function refundWay(status: OrderStatus, { paid, gone, ownOpen }: RefundFigures): RefundWay {
  if (status === 'REFUNDING') {
    if (gone >= paid) return 'refundAll'
    return ownOpen === 0 || ownOpen + gone < paid ? 'wayBack' : 'stay'
  }
  const canStart = status === 'PAID' || status === 'DELIVERED' || status === 'COMPLETED'
  return canStart && ownOpen > 0 && ownOpen + gone >= paid ? 'startRefund' : 'stay'
}
