import { type Instant, msOf } from '../../modules/core/instant.ts'
import { isPayable } from '../../modules/core/order.ts'
import { isOpen } from '../../modules/core/pay-attempt.ts'
import { invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { MAX_OPEN_PAY_ATTEMPTS } from '../../modules/ledger/table/limits.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import type { OrderRow, PayAttemptRow } from '../../modules/ledger/table/rows.ts'
import type { StartPayAttemptBody } from './schemas.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Vouchers of cash payments live for days to weeks, no try for longer than a month. */
const MAX_EXPIRY_DAYS = 31

/** @throws ProblemError VALIDATION_FAILED when the caller means other money than the order's */
export function checkMoney(order: OrderRow, { amount, currency }: StartPayAttemptBody): void {
  if (currency !== undefined && currency !== order.currency) {
    throw invalidField('currency', `must be the order's, ${order.currency}`)
  }
  if (amount !== undefined && amount !== order.amount) {
    throw invalidField('amount', `must be the order's, ${order.amount}`)
  }
}

/** The first field in which a repeated request differs; a channelRef that came later is no difference. */
export function findPayAttemptDifference(
  order: OrderRow,
  attempt: PayAttemptRow,
  { expiresAt = order.closeAt, channelRef }: StartPayAttemptBody,
): string | undefined {
  if (expiresAt !== attempt.expiresAt) return 'expiresAt'
  return channelRef === undefined || channelRef === attempt.channelRef ? undefined : 'channelRef'
}

/**
 * Whether the order takes one more try now.
 * @throws ProblemError ORDER_NOT_PAYABLE, ORDER_CLOSING, TOO_MANY_PAY_ATTEMPTS, VALIDATION_FAILED
 */
export function checkMayStart(
  file: OrderFile,
  order: OrderRow,
  { expiresAt }: StartPayAttemptBody,
  now: Instant,
): void {
  if (!isPayable(order.status)) {
    throw new ProblemError('ORDER_NOT_PAYABLE', `The order is ${order.status}. Do not let the buyer pay it.`, {
      orderStatus: order.status,
    })
  }
  checkNotClosing(order, now)
  checkExpiry(order, expiresAt, now)
  if (file.payAttempts.filter(({ state }) => isOpen(state)).length >= MAX_OPEN_PAY_ATTEMPTS) {
    throw new ProblemError(
      'TOO_MANY_PAY_ATTEMPTS',
      `At most ${MAX_OPEN_PAY_ATTEMPTS} payment attempts of an order are open at once. Wait for one to end.`,
    )
  }
}

/** A channel that cannot be asked is waited out to the expiry, so a slip in a date would hold the goods until then. */
function checkExpiry(order: OrderRow, expiresAt: Instant | undefined, now: Instant): void {
  if ((expiresAt ?? order.closeAt) <= now) {
    throw invalidField(
      'expiresAt',
      expiresAt === undefined ? "must be given: the order's closeAt has passed" : 'must be in the future',
    )
  }
  if (expiresAt !== undefined && msOf(expiresAt) > msOf(order.closeAt) + MAX_EXPIRY_DAYS * DAY_MS) {
    throw invalidField('expiresAt', `must be at most ${MAX_EXPIRY_DAYS} days after the order's closeAt`)
  }
}

/** CLOSE_ORDER holds the order: a try begun now would outlive it. Source: docs/design/flows.md, Asking and closing */
function checkNotClosing({ orderNo, activeTask, status }: OrderRow, now: Instant): void {
  if (activeTask?.taskNo !== taskNoOf('CLOSE_ORDER', orderNo) || activeTask.leaseUntil < now) return
  throw new ProblemError('ORDER_CLOSING', 'Ask again after the time in Retry-After whether the order is still open.', {
    retryAfterS: Math.max(1, Math.ceil((msOf(activeTask.leaseUntil) - msOf(now)) / 1000)),
    orderStatus: status,
  })
}
