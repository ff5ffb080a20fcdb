import type { Instant } from '../../core/instant.ts'
import type { DeliveryInterface } from '../../core/stock.ts'
import { type NoticeRules, orderNotice, planNotices } from '../notice/put-notice.ts'
import { moveStock } from '../stock/move-stock.ts'
import { allOf, type Condition, isAbsent, revIs } from '../table/conditions.ts'
import { lineSk, orderKey } from '../table/keys.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { type Cause, moveOrder } from './change-order.ts'

/** By which way a line was delivered, and the line as it was read. */
export interface Delivered {
  readonly by: DeliveryInterface
  readonly line: LineRow
}

/**
 * Marks a line as handed over, once; with the last line the order becomes DELIVERED. The effect gives the order back.
 * Codes that were kept for the line and not used, because another way delivered it, can be sold again.
 */
export function deliverLineWrites(
  order: OrderRow,
  line: number,
  cause: Cause,
  when: Condition,
  rules: NoticeRules,
  now: Instant,
  how?: Delivered,
): readonly Write[] {
  const unused = how !== undefined && hasUnusedCodes(how) ? [how.line] : []
  const delivered: Write = {
    op: 'update',
    key: { pk: order.pk, sk: lineSk(line) },
    set: { deliveredAt: now, ...(how !== undefined && { deliveredBy: how.by }) },
    ...(unused.length > 0 && { remove: ['taken'] }),
    when: how === undefined ? isAbsent('deliveredAt') : allOf(isAbsent('deliveredAt'), revIs(how.line.rev)),
  }
  const codesBack = moveStock('restock', unused)
  const undelivered = order.undelivered - 1
  if (undelivered === 0 && order.status === 'PAID') {
    const told = planNotices(order, [orderNotice('order.delivered', order)], rules, now)
    return [
      delivered,
      ...codesBack,
      ...moveOrder(order, 'deliver', cause, now, { set: { undelivered, ...told.set }, remove: ['activeTask'], when }),
      ...told.writes,
    ]
  }
  return [
    delivered,
    ...codesBack,
    {
      op: 'update',
      key: orderKey(order.orderNo),
      set: { undelivered },
      remove: ['activeTask'],
      when: allOf(revIs(order.rev), when),
    },
  ]
}

/** Only skus of codes name that way. */
function hasUnusedCodes({ by, line }: Delivered): boolean {
  return by !== 'card-code' && line.state === 'SOLD' && line.interfaces?.includes('card-code') === true
}
