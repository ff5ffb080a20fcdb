import type { Instant } from '../../core/instant.ts'
import { lineMachine } from '../../core/stock-line.ts'
import { type NoticeRules, orderNotice, planNotices } from '../notice/put-notice.ts'
import { moveStock } from '../stock/move-stock.ts'
import type { Condition } from '../table/conditions.ts'
import { revIs } from '../table/conditions.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { type Cause, moveOrder } from './change-order.ts'

/**
 * Closes an order and releases its lines and their stock in one write, conditional on the revision read before the first
 * question: a payment or
 * a new payAttempt in between makes it fail.
 * Source: docs/design/flows.md, Asking and closing
 */
export function closeOrderWrites(
  order: OrderRow,
  lines: readonly LineRow[],
  cause: Cause,
  when: Condition,
  rules: NoticeRules,
  now: Instant,
): readonly Write[] {
  const told = planNotices(order, [orderNotice('order.closed', order, { reason: cause.reason })], rules, now)
  const released = lines.filter(({ state }) => lineMachine.edges[state].release !== undefined)
  return [
    ...moveOrder(order, 'close', cause, now, {
      set: { closedAt: now, ...told.set },
      remove: ['activeTask', 'duePk', 'dueAt'],
      when,
    }),
    ...told.writes,
    ...released.map(
      ({ pk, sk, state, rev }): Write => ({
        op: 'update',
        key: { pk, sk },
        set: { state: lineMachine.edges[state].release },
        when: revIs(rev),
      }),
    ),
    ...moveStock('release', released),
  ]
}
