import { bizNoOf } from '../../core/biz-no.ts'
import type { OrderNo } from '../../core/ids.ts'
import type { TaskContext } from '../context.ts'
import { allOf, isAbsent, revIs, rowIsNew } from '../table/conditions.ts'
import { taskSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { PayAttemptRow, TaskRow } from '../table/rows.ts'
import { check, update } from '../table/writes.ts'
import { putTask } from '../task/put-task.ts'
import { requestOf } from '../task/snapshots.ts'

/**
 * The channel's own number of a payAttempt, set once: later questions to the channel rest on it. A payment that a hint named before
 * gets a question of its own, by its own name: the payAttempt's question would no longer find it.
 * @param tasks of the order's file
 */
export function addChannelRefWrites(
  attempt: PayAttemptRow,
  channelRef: string,
  { orderNo, tasks }: { readonly orderNo: OrderNo; readonly tasks: readonly TaskRow[] },
  context: TaskContext,
): readonly Write[] {
  const { pk, channel, outTradeNo } = attempt
  const set = update(attempt, { set: { channelRef } }, allOf(revIs(attempt.rev), isAbsent('channelRef')))
  const taskNo = taskNoOf('QUERY_PAYMENT', bizNoOf('QUERY_PAYMENT', { channel, outTradeNo }))
  const question = tasks.find((task) => task.taskNo === taskNo)
  const channelTxnId = question && requestOf('QUERY_PAYMENT', question).channelTxnId
  // A hint that names a payment at this moment must be seen, or see the channelRef.
  const asRead =
    question === undefined ? check({ pk, sk: taskSk(taskNo) }, rowIsNew) : check(question, revIs(question.rev))
  if (channelTxnId === undefined) return [set, asRead]
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo, channelTxnId })
  const named = { pk, bizType: 'QUERY_PAYMENT', bizNo, orderNo, channel, source: 'CALLBACK' } as const
  return [set, asRead, putTask({ ...named, at: context.now, requestSnapshot: { channelTxnId } }, context)]
}
