/** Items of one TransactWriteItems. Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html */
export const MAX_TRANSACTION_ITEMS = 100

/**
 * Lines of one order. A payment's booking writes two items for each (the line and its DELIVER task) beside ten of its own at
 * most, notices and an orphan's rows included,
 * and one CLOSE_ATTEMPT for each other open payAttempt, all in one transaction: what is accepted here can always be booked.
 */
export const MAX_LINES = 40
/** Open payAttempts of one order, for the same sum. */
export const MAX_OPEN_PAY_ATTEMPTS = 10

/** Buckets of one sku. Source: docs/design/keys-and-rows.md, Ledger */
export const MAX_BUCKETS = 20
/** Codes of one line, which are bound in one transaction with three writes for each. */
export const MAX_LINE_CODES = 20
/** Writes of a booking beside its lines, its buckets and its CLOSE_ATTEMPTs. */
const BOOKING_WRITES = 10

/** Buckets that an order of so many lines may take from, so that its booking still fits one transaction. */
export function maxTakenBuckets(lines: number): number {
  return Math.max(0, MAX_TRANSACTION_ITEMS - BOOKING_WRITES - MAX_OPEN_PAY_ATTEMPTS - 2 * lines)
}
