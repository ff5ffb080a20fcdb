/** What a real payment is to its order; changed only by a decision. Source: design.md section 3. */
export type PaymentRole =
  | 'APPLIED'
  /** The order was closed before the money came. */
  | 'LATE'
  /** The order was paid already. */
  | 'SURPLUS'
  /** Amount or currency is not the order's. */
  | 'MISMATCHED'
  /** No order of this number is known. */
  | 'ORPHAN'

/** Why a machine may start a refund by itself; with order and transaction it gives the refund its number for ever. */
export type AutomaticRefundCause = 'LATE' | 'SURPLUS'
