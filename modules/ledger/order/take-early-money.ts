import { bizNoOf } from '../../core/biz-no.ts'
import type { TaskContext } from '../context.ts'
import type { OrderFile } from '../read/queries.ts'
import { revIs, rowIsNew } from '../table/conditions.ts'
import { ORPHANS_SK } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { CallbackRow, OrderRow, TaskRow } from '../table/rows.ts'
import { check, optional } from '../table/writes.ts'
import { parkTask } from '../task/park-task.ts'
import { newWake } from '../task/plan-task.ts'
import { putTask } from '../task/put-task.ts'
import { requeueWrites } from '../task/requeue-task.ts'

/**
 * Money that was recorded as an orphan after the file was read must be seen: the order looks again. An orphan's callback has stood
 * in the file for its whole ladder before, so a file without one needs no check. Orphans of before, that another order has taken
 * since, are in nobody's way.
 */
export function noOrphanSince({ pk, callbacks, orphansRev }: OrderFile): readonly Write[] {
  if (callbacks.length === 0) return []
  return [check({ pk, sk: ORPHANS_SK }, orphansRev === undefined ? rowIsNew : revIs(orphansRev))]
}

/**
 * An orphan's callback is booked again, now that its order is here. The first task of this callback has ended. One that looks
 * parked was read before its payment became an orphan: a Query is no snapshot.
 */
export function bookOrphans(
  { orderNo }: Pick<OrderRow, 'orderNo'>,
  before: OrderFile,
  context: TaskContext,
): readonly Write[] {
  const channels = new Set(before.payments.filter(({ role }) => role === 'ORPHAN').map(({ channel }) => channel))
  const callbacks = before.callbacks.filter(
    ({ verdict, channel }) => (verdict === 'orphan' || verdict === 'parked') && channels.has(channel),
  )
  // One event may be kept twice, from two bodies; one task books it.
  const byEvent = new Map(callbacks.map((callback) => [`${callback.channel}/${callback.eventId}`, callback]))
  return [...byEvent.values()].map((callback) => bookAgain({ pk: before.pk, orderNo }, callback, context))
}

function bookAgain(
  { pk, orderNo }: Pick<OrderRow, 'pk' | 'orderNo'>,
  { sk, channel, eventId }: CallbackRow,
  context: TaskContext,
): Write {
  const bizNo = bizNoOf('SETTLE_CALLBACK', { channel, eventId, twist: 'put' })
  const requestSnapshot = { callback: sk, eventId, why: 'ORDER_ARRIVED' }
  const task = { pk, bizType: 'SETTLE_CALLBACK', bizNo, orderNo, channel, source: 'CALLBACK', requestSnapshot } as const
  return putTask({ ...task, at: context.now }, context)
}

/**
 * A callback that waits for the order on its ladder is booked at once, and so is one that nobody could book without it and
 * that a person has (a hint); one in work finds the order by itself.
 */
export function wakeCallbacks(tasks: readonly TaskRow[], context: TaskContext): readonly Write[] {
  const { now } = context
  return tasks
    .filter(({ bizType }) => bizType === 'SETTLE_CALLBACK')
    .flatMap((task): readonly Write[] => {
      if (task.status === 'WAITING' || task.status === 'RETRY')
        return [parkTask(task, { until: newWake(task, now), reason: 'ORDER_ARRIVED' }, now)]
      if (task.status !== 'MANUAL') return []
      // The ticket's own trigger finds no ticket and ends by itself: two optional writes could go apart.
      return requeueWrites(task, { at: now, by: 'ORDER_ARRIVED' }, context)
    })
    .map(optional)
}

/**
 * Money that came under a number before the number was announced: its callbacks are booked now, as they are when the order itself
 * arrives. Source: docs/design/flows.md
 * @param before the collection of the number, which is no order's own
 */
export function takeMoneyOfNumber(
  order: Pick<OrderRow, 'orderNo'>,
  before: OrderFile,
  context: TaskContext,
): readonly Write[] {
  return [...noOrphanSince(before), ...bookOrphans(order, before, context), ...wakeCallbacks(before.tasks, context)]
}
