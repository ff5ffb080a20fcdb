import { plusMs } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import { deliverLineWrites } from '../../ledger/deliver-line.ts'
import { attemptSk } from '../../ledger/keys.ts'
import type { OrderRow, TaskRow } from '../../ledger/rows.ts'
import type { Look, TaskHandler, TaskView } from '../task-handler.ts'

/** A frozen order is looked at again after this; its ticket is what unfreezes it. */
const FROZEN_LOOK_MS = 30 * 60 * 1000

/** Sends one delivery; bound to the merchant's endpoint and keys by the Lambda. */
export type SendDelivery = (delivery: { readonly id: string; readonly body: string }) => Promise<Outcome>

/**
 * DELIVER: hands one line of a paid order to the merchant's endpoint by signed webhook, under one id over all retries.
 * Source: design.md section 5, Delivery
 */
export function deliverHandler(url: string, send: SendDelivery): TaskHandler {
  return {
    look: ({ task, order, now }) => lookAtDelivery(url, task, order, now),
    call: async (view) => ({ outcome: await send({ id: view.task.idempotencyKey, body: bodyOf(view) }) }),
    commit: ({ task, order, now }, ours) => ({
      writes:
        order === undefined
          ? []
          : deliverLineWrites(
              order,
              lineOf(task),
              {
                operatorType: 'POLICY',
                operator: 'DELIVER',
                reason: 'DELIVERED',
                evidence: attemptSk(task.taskNo, task.attempts),
              },
              ours,
              now,
            ),
      releasesOrder: order !== undefined,
    }),
  }
}

function lookAtDelivery(url: string, task: TaskRow, order: OrderRow | undefined, now: TaskView['now']): Look {
  if (order === undefined) {
    return {
      kind: 'escalate',
      reason: 'ORDER_NOT_FOUND',
      message: 'The order of a delivery is gone. Look for its row.',
    }
  }
  if (order.frozen !== undefined) return { kind: 'park', until: plusMs(now, FROZEN_LOOK_MS), reason: 'ORDER_FROZEN' }
  switch (order.status) {
    case 'PAID':
      return { kind: 'go', target: new URL(url).origin, idempotencyKey: task.idempotencyKey }
    case 'DELIVERED':
    case 'COMPLETED':
      return { kind: 'moot', status: 'SUCCESS', reason: 'ORDER_DELIVERED' }
    case 'REFUNDING':
    case 'REFUNDED':
    case 'CLOSED':
      return { kind: 'moot', status: 'CLOSED', reason: `ORDER_${order.status}` }
    case 'WAIT_PAY':
    case 'PAYING':
    case 'PAY_FAILED':
      return { kind: 'escalate', reason: 'ORDER_NOT_PAID', message: 'A delivery waits for an order that is not paid.' }
  }
}

function lineOf(task: TaskRow): number {
  const line = task.requestSnapshot?.['line']
  return typeof line === 'number' ? line : Number(task.bizNo.split('/')[1])
}

function bodyOf({ task, order, now }: TaskView): string {
  return JSON.stringify({
    type: 'order.deliver',
    timestamp: now,
    data: {
      orderNo: task.orderNo,
      deliveryNo: task.idempotencyKey,
      line: lineOf(task),
      sku: task.requestSnapshot?.['sku'],
      quantity: task.requestSnapshot?.['qty'],
      ...(order?.attributes !== undefined && { attributes: order.attributes }),
    },
  })
}
