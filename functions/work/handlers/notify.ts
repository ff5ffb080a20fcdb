import { NOTICES_GATE } from '../../../modules/core/notice.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import { sortNames } from '../../../modules/core/sort-names.ts'
import { eventIdOf, sequenceOf } from '../../../modules/ledger/notice/replay-notice.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import type { SendDelivery } from '../delivering/deliver-webhook.ts'
import type { TaskHandler, TaskView } from '../task-handler.ts'

/**
 * NOTIFY: tells the merchant of one change by a signed webhook, under one id over all retries and replays. It decides nothing and
 * looks at nothing: what it tells was true when it was written, and its sequence says where it belongs.
 * Source: docs/design/task-types.md
 */
export function notifyHandler(url: string, send: SendDelivery): TaskHandler {
  const target = new URL(url).origin
  return {
    gates: () => [NOTICES_GATE],
    look: ({ task: { idempotencyKey } }) => ({ kind: 'go', target, idempotencyKey }),
    call: async (view) => {
      const outcome = await send({ url, id: view.task.idempotencyKey, body: bodyOf(view) })
      return { outcome: takenIsDone(outcome) }
    },
  }
}

/** The same bytes in every try and every replay: the time is that of the change. */
function bodyOf({ task, order }: TaskView): string {
  const { type, data, at } = requestOf('NOTIFY', task)
  const sequence = sequenceOf(task)
  return JSON.stringify({
    type,
    timestamp: at ?? task.createdAt,
    data: {
      id: eventIdOf(task),
      orderNo: task.orderNo,
      sequence,
      ...(typeof data === 'object' && data !== null && sortNames({ ...data })),
      // Money that had no order has none in its repeats either.
      ...(sequence !== undefined && order?.attributes !== undefined && { attributes: sortNames(order.attributes) }),
    },
  })
}

/** There is nothing to do for the merchant but to take it. */
function takenIsDone(outcome: Outcome): Outcome {
  return outcome.httpStatus === 202 ? { kind: 'done', httpStatus: 202 } : outcome
}
