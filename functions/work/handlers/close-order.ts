import { type Instant, plusMs } from '../../core/instant.ts'
import { isPayable } from '../../core/order.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import { closeOrderWrites } from '../../ledger/close-order.ts'
import { readCollection } from '../../ledger/queries.ts'
import type { PayAttemptRow, Row } from '../../ledger/rows.ts'
import type { Look, TaskHandler, TaskView } from '../task-handler.ts'

/** After a payAttempt's own expiry the channel may still be finishing; then it is left to callbacks and the bill. */
export const EXPIRY_GRACE_MS = 5 * 60 * 1000
const FROZEN_LOOK_MS = 30 * 60 * 1000

/**
 * CLOSE_ORDER: closes an order that nobody paid in its time and releases its lines, in one write conditional on the order as it was
 * read. No channel of this release can be asked (`query` is absent: unsupported), so an open payAttempt is waited out: its own
 * expiry plus grace. Money that comes all the same is LATE and goes back.
 * Source: design.md section 5, Asking and closing; seed 003, section 4
 */
export const closeOrderHandler: TaskHandler = {
  restsOnOrder: true,
  load: async (ledger, task) => {
    const file = await readCollection(ledger, task.pk)
    return [...file.payAttempts, ...file.lines]
  },
  look: lookAtOrder,
  call: async () => ({ outcome: { kind: 'done' } }),
  commit: ({ task, order, rows, now }, ours) => {
    if (order === undefined || !isPayable(order.status)) return { writes: [], releasesOrder: false }
    const cause = {
      operatorType: 'POLICY',
      operator: 'CLOSE_ORDER',
      reason: 'NOT_PAID_IN_TIME',
      evidence: task.sk,
    } as const
    const lines = rows.filter((row) => row.et === 'LINE')
    return { writes: closeOrderWrites(order, lines, cause, ours, now), releasesOrder: true }
  },
}

function lookAtOrder({ task, order, rows, now }: TaskView): Look {
  if (order === undefined) {
    return { kind: 'escalate', reason: 'ORDER_NOT_FOUND', message: 'The order that shall be closed is gone.' }
  }
  if (!isPayable(order.status)) return { kind: 'moot', status: 'SUCCESS', reason: `ORDER_${order.status}` }
  if (order.frozen !== undefined) return { kind: 'park', until: plusMs(now, FROZEN_LOOK_MS), reason: 'ORDER_FROZEN' }
  const waitUntil = lastExpiry(rows)
  if (waitUntil !== undefined && now < waitUntil) {
    return { kind: 'park', until: waitUntil, reason: 'PAY_ATTEMPT_NOT_EXPIRED' }
  }
  return { kind: 'go', target: 'ledger', idempotencyKey: task.idempotencyKey }
}

function lastExpiry(rows: readonly Row[]): Instant | undefined {
  return rows
    .filter((row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && isOpen(row.state))
    .map((row) => plusMs(row.expiresAt, EXPIRY_GRACE_MS))
    .sort()
    .at(-1)
}
