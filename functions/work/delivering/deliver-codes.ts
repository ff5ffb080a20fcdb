import { bindCodesWrites } from '../../../modules/ledger/stock/bind-codes.ts'
import { CODE_POOL_EMPTY } from '../../../modules/ledger/stock/wake-code-waiters.ts'
import type { Write } from '../../../modules/ledger/table/make-write.ts'
import type { LineRow, OrderRow } from '../../../modules/ledger/table/rows.ts'
import type { Execution, TaskView } from '../task-handler.ts'
import { lineIn } from './delivery-way.ts'

/**
 * Whether a line's codes can be bound now, judged by the rows that were read: the work itself is the writes of the task's own
 * commit. From an empty pool the next way of delivery takes over; where there is none, codes that are taken in wake the task.
 */
export function checkCodes({ order, rows }: TaskView, hasNextWay: boolean): Execution {
  const line = lineIn(rows)
  if (order?.status !== 'PAID' || order.frozen !== undefined || line?.state !== 'SOLD') {
    return { outcome: { kind: 'notYet', code: 'ORDER_CHANGED' } }
  }
  const free = rows.filter((row) => row.et === 'CODE').length
  if (free >= line.qty) return { outcome: { kind: 'done' } }
  return {
    outcome: {
      kind: hasNextWay ? 'rejected' : 'notYet',
      code: CODE_POOL_EMPTY,
      message: `${line.qty} codes of ${line.sku} are needed and ${free} are free. Take in codes.`,
    },
  }
}

/** The codes that were read, bound to the line all together; codes that others bound meanwhile are read anew. */
export function bindPickedCodes({ rows, now }: TaskView, order: OrderRow, line: LineRow): readonly Write[] {
  const codes = rows.filter((row) => row.et === 'CODE').slice(0, line.qty)
  return bindCodesWrites(order.orderNo, line.line, codes, now)
}
