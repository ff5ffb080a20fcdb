/** What a real payment is to its order; changed only by a decision. Source: docs/design/states.md, Payment */
export const paymentRoles = [
  'APPLIED',
  /** The order was closed before the money came. */
  'LATE',
  /** The order was paid already. */
  'SURPLUS',
  /** Amount or currency is not the order's. */
  'MISMATCHED',
  /** No order of this number is known. */
  'ORPHAN',
  /** Only its undoing was heard so far: the payment takes the row over when it comes. */
  'AWAITED',
] as const
export type PaymentRole = (typeof paymentRoles)[number]

/** Why a machine may start a refund by itself; with order and transaction it gives the refund its number for ever. */
export type AutomaticRefundCause = 'LATE' | 'SURPLUS'
