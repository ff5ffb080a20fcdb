import type { Instant } from '../core/instant.ts'
import { lineMachine } from '../core/stock-line.ts'
import { type Cause, moveOrder } from './change-order.ts'
import type { Condition } from './conditions.ts'
import { revIs } from './conditions.ts'
import type { LineRow, OrderRow } from './rows.ts'
import type { Write } from './writes.ts'

/**
 * Closes an order and releases its lines in one write, conditional on the revision read before the first question: a payment or
 * a new payAttempt in between makes it fail.
 * Source: design.md section 5, Asking and closing
 */
export function closeOrderWrites(
  order: OrderRow,
  lines: readonly LineRow[],
  cause: Cause,
  when: Condition,
  now: Instant,
): readonly Write[] {
  return [
    ...moveOrder(order, 'close', cause, now, { remove: ['activeTask', 'duePk', 'dueAt'], when }),
    ...lines.flatMap((line): readonly Write[] => {
      const state = lineMachine.edges[line.state].release
      if (state === undefined) return []
      return [{ op: 'update', key: { pk: line.pk, sk: line.sk }, set: { state }, when: revIs(line.rev) }]
    }),
  ]
}
