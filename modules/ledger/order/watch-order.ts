import { bizNoOf } from '../../core/biz-no.ts'
import { plusMs } from '../../core/instant.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import type { TaskContext } from '../context.ts'
import { readCollection } from '../read/queries.ts'
import type { Ledger } from '../table/client.ts'
import { commit } from '../table/commit.ts'
import { allOf, dueAtIs, revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { type NewTaskOf, putTask } from '../task/put-task.ts'

/** How often the sweep looks at an order in PAYING. */
export const PAYING_LOOK_MS = 10 * 60 * 1000
/** The first question to the channel comes this long after the payAttempt began. */
export const FIRST_QUERY_MS = 5_000

/** The task that asks a payAttempt's channel: one per payAttempt, started with it, or by the sweep where it is missing. */
export function putQueryPayment(
  task: Pick<NewTaskOf<'QUERY_PAYMENT'>, 'pk' | 'orderNo' | 'channel' | 'bizNo' | 'source'>,
  context: TaskContext,
): Write {
  return putTask({ ...task, bizType: 'QUERY_PAYMENT', at: plusMs(context.now, FIRST_QUERY_MS) }, context)
}

/** An order in PAYING that nobody booked: its payAttempts shall each have a query task, whatever became of the first one. */
export async function watchPayingOrder(ledger: Ledger, order: OrderRow, context: TaskContext): Promise<boolean> {
  if (order.dueAt === undefined) return false
  const { pk, orderNo } = order
  const file = await readCollection(ledger, pk)
  const looked = update(
    order,
    { set: { dueAt: plusMs(context.now, PAYING_LOOK_MS) } },
    allOf(revIs(order.rev), dueAtIs(order.dueAt)),
  )
  const questions = file.payAttempts
    .filter(({ state }) => isOpen(state))
    .map(({ channel, outTradeNo }) => {
      const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo })
      return putQueryPayment({ pk, orderNo, channel, bizNo, source: 'INSPECTION' }, context)
    })
  return (await commit(ledger, [looked, ...questions], context.now)).kind === 'done'
}
