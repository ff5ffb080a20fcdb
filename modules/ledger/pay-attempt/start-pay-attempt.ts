import { bizNoOf } from '../../core/biz-no.ts'
import { type OrderNo, parseOrderNo } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import { moveOrder } from '../order/change-order.ts'
import { PAYING_LOOK_MS, putQueryPayment } from '../order/watch-order.ts'
import { revIs, rowIsNew } from '../table/conditions.ts'
import { duePkOf, orderKey, outTradeNoGuard, payAttemptSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, PayAttemptRow } from '../table/rows.ts'
import { check, put, update } from '../table/writes.ts'

/** What a payAttempt is opened with. Money is the order's. */
export type NewPayAttempt = Pick<PayAttemptRow, 'channel' | 'outTradeNo' | 'expiresAt' | 'channelRef'>

/** The row of a payAttempt nobody has seen yet. */
export function newPayAttempt(order: OrderRow, attempt: NewPayAttempt, now: Instant): PayAttemptRow {
  const { channel, outTradeNo, expiresAt, channelRef } = attempt
  return {
    pk: order.pk,
    sk: payAttemptSk(channel, outTradeNo),
    v: 1,
    rev: 1,
    updatedAt: now,
    et: 'PAYATTEMPT',
    channel,
    outTradeNo,
    state: 'OPEN',
    ...(channelRef !== undefined && { channelRef }),
    amount: order.amount,
    currency: order.currency,
    expiresAt,
    createdAt: now,
  }
}

/**
 * A payAttempt, its number's guard, the order in PAYING and the task that asks the channel, as one transaction. The order's
 * revision rises in any case: whoever is about to close it must look again.
 * @param operator who calls, for the journal
 * @throws IllegalTransitionError when the order takes no payment in its state
 */
export function startPayAttemptWrites(
  order: OrderRow,
  attempt: PayAttemptRow,
  operator: string,
  context: TaskContext,
): readonly Write[] {
  const { pk, orderNo } = order
  const { channel, outTradeNo } = attempt
  const guard = { ...outTradeNoGuard(channel, outTradeNo), et: 'GUARD' as const }
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo })
  return [
    put(attempt, rowIsNew),
    put({ ...guard, orderNo, collection: pk }, rowIsNew),
    ...notAnotherOrder(orderNo, outTradeNo),
    ...takeOrder(order, attempt, operator, context.now),
    putQueryPayment({ pk, orderNo, channel, bizNo, source: 'POLICY' }, context),
  ]
}

/** A number that is another order's own number would lead that order's money here. */
function notAnotherOrder(orderNo: OrderNo, outTradeNo: string): readonly Write[] {
  const other = parseOrderNo(outTradeNo)
  return other === undefined || other === orderNo ? [] : [check(orderKey(other), rowIsNew)]
}

function takeOrder(order: OrderRow, attempt: PayAttemptRow, operator: string, now: Instant): readonly Write[] {
  const openTries = order.openTries === undefined ? undefined : order.openTries + 1
  const set = { duePk: duePkOf(order.pk), dueAt: plusMs(now, PAYING_LOOK_MS), openTries }
  if (order.status === 'PAYING') return [update(order, { set }, revIs(order.rev))]
  const cause = { operatorType: 'MERCHANT', operator, reason: 'PAY_ATTEMPT_STARTED', evidence: attempt.sk } as const
  return moveOrder(order, 'startAttempt', { cause, now }, { set })
}
