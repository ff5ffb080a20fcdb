import type { Instant } from '../core/instant.ts'
import { type Cause, moveOrder } from './change-order.ts'
import { allOf, type Condition, isAbsent, revIs } from './conditions.ts'
import { lineSk, orderKey } from './keys.ts'
import type { OrderRow } from './rows.ts'
import type { Write } from './writes.ts'

/** Marks a line as handed over, once; with the last line the order becomes DELIVERED. The effect gives the order back. */
export function deliverLineWrites(
  order: OrderRow,
  line: number,
  cause: Cause,
  when: Condition,
  now: Instant,
): readonly Write[] {
  const delivered: Write = {
    op: 'update',
    key: { pk: order.pk, sk: lineSk(line) },
    set: { deliveredAt: now },
    when: isAbsent('deliveredAt'),
  }
  const undelivered = order.undelivered - 1
  if (undelivered === 0 && order.status === 'PAID') {
    return [
      delivered,
      ...moveOrder(order, 'deliver', cause, now, { set: { undelivered }, remove: ['activeTask'], when }),
    ]
  }
  return [
    delivered,
    {
      op: 'update',
      key: orderKey(order.orderNo),
      set: { undelivered },
      remove: ['activeTask'],
      when: allOf(revIs(order.rev), when),
    },
  ]
}
