import type { Instant } from '../../core/instant.ts'
import type { DeliveryInterface } from '../../core/stock.ts'
import type { WriteContext } from '../context.ts'
import { orderNotice, planNotices } from '../notice/put-notice.ts'
import { moveStock } from '../stock/move-stock.ts'
import { allOf, type Condition, isAbsent, revIs } from '../table/conditions.ts'
import { lineSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { type Cause, moveOrder } from './change-order.ts'

/** By which way a line was delivered, and the line as it was read. */
export interface Delivered {
  readonly by: DeliveryInterface
  readonly line: LineRow
}

/** A line that was handed over. */
export interface Delivery {
  readonly order: OrderRow
  readonly line: number
  readonly how?: Delivered | undefined
}

/**
 * Marks a line as handed over, once; with the last line the order becomes DELIVERED. The effect gives the order back.
 * Codes that were kept for the line and not used, because another way delivered it, can be sold again.
 */
export function deliverLineWrites(
  delivery: Delivery,
  cause: Cause,
  when: Condition,
  context: WriteContext,
): readonly Write[] {
  const { order } = delivery
  const { now } = context
  const undelivered = order.undelivered - 1
  const line = markDelivered(delivery, now)
  if (undelivered > 0 || order.status !== 'PAID') {
    const rest = update(order, { set: { undelivered }, remove: ['activeTask'] }, allOf(revIs(order.rev), when))
    return [...line, rest]
  }
  const told = planNotices(order, [orderNotice('order.delivered', order)], context)
  const set = { undelivered, ...told.set }
  return [
    ...line,
    ...moveOrder(order, 'deliver', { cause, now }, { set, remove: ['activeTask'], when }),
    ...told.writes,
  ]
}

function markDelivered({ order, line, how }: Delivery, now: Instant): readonly Write[] {
  const unused = how !== undefined && hasUnusedCodes(how) ? [how.line] : []
  const target = { et: 'LINE', pk: order.pk, sk: lineSk(line) } as const
  const once = isAbsent('deliveredAt')
  const delivered = update(
    target,
    { set: { deliveredAt: now, deliveredBy: how?.by }, ...(unused.length > 0 && { remove: ['taken'] }) },
    how === undefined ? once : allOf(once, revIs(how.line.rev)),
  )
  return [delivered, ...moveStock('restock', unused)]
}

/** Only skus of codes name that way. */
function hasUnusedCodes({ by, line }: Delivered): boolean {
  return by !== 'card-code' && line.state === 'SOLD' && line.interfaces?.includes('card-code') === true
}
