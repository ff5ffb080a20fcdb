import { stepOf } from '../../core/machine.ts'
import { lineMachine } from '../../core/stock-line.ts'
import type { WriteContext } from '../context.ts'
import { orderNotice, planNotices } from '../notice/put-notice.ts'
import { moveStock } from '../stock/move-stock.ts'
import type { Condition } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import { type Cause, moveOrder } from './change-order.ts'
import { moveLine } from './move-line.ts'

/**
 * Closes an order and releases its lines and their stock in one write, conditional on the revision read before the first question:
 * a payment or a new payAttempt in between makes it fail.
 */
export function closeOrderWrites(
  { order, lines }: { readonly order: OrderRow; readonly lines: readonly LineRow[] },
  cause: Cause,
  when: Condition,
  context: WriteContext,
): readonly Write[] {
  const { now } = context
  const told = planNotices(order, [orderNotice('order.closed', order, { reason: cause.reason })], context)
  const released = lines.filter(({ state }) => stepOf(lineMachine, state, 'release') !== undefined)
  // The caller closes every open try in the same transaction.
  const openTries = order.openTries === undefined ? undefined : 0
  const set = { closedAt: now, openTries, ...told.set }
  return [
    ...moveOrder(order, 'close', { cause, now }, { set, remove: ['activeTask', 'duePk', 'dueAt'], when }),
    ...told.writes,
    ...released.map((line) => moveLine(line, 'release')),
    ...moveStock('release', released),
  ]
}
