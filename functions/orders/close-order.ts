import type { z } from 'zod'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { isPayable } from '../../modules/core/order.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { type OrderFile, readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { OrderRow, TaskRow } from '../../modules/ledger/table/rows.ts'
import { checkGoesOn, planActNow } from './act-now.ts'
import type { OrdersDeps } from './deps.ts'
import type { orderTasksView } from './task-schemas.ts'
import { viewOrder, viewTask } from './views.ts'

/**
 * Closes an order before its time, as far as its channels agree: CLOSE_ORDER asks them first.
 * @throws ProblemError ORDER_NOT_FOUND, ORDER_NOT_PAYABLE, TASK_ENDED, TASK_MANUAL
 * Source: docs/design/flows.md, Asking and closing
 */
export function closeOrder(deps: OrdersDeps, orderNo: OrderNo, caller: string): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const file = await readOrderFile(deps.ledger, orderNo)
    const { order } = file
    if (order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `No order ${orderNo} was created.`)
    if (order.status === 'CLOSED') {
      return { kind: 'answer', answer: { status: 200, body: viewOrderTasks(file, order, []) } }
    }
    if (!isPayable(order.status)) {
      throw new ProblemError('ORDER_NOT_PAYABLE', `The order is ${order.status}: only an unpaid order is closed.`, {
        orderStatus: order.status,
      })
    }
    const asked = {
      bizType: 'CLOSE_ORDER',
      bizNo: bizNoOf('CLOSE_ORDER', { orderNo }),
      orderNo,
      askedBy: caller,
    } as const
    const { task, writes } = planActNow(file, asked, { ...deps, now })
    checkGoesOn(task)
    const answer: Answer = { status: 202, body: viewOrderTasks(file, order, [task]) }
    return writes.length === 0 ? { kind: 'answer', answer } : { kind: 'commit', writes, answer }
  })
}

export function viewOrderTasks(
  { attempts }: OrderFile,
  order: OrderRow,
  tasks: readonly TaskRow[],
): z.output<typeof orderTasksView> {
  return {
    order: viewOrder(order),
    tasks: tasks.map((task) =>
      viewTask(
        task,
        attempts.filter(({ taskNo }) => taskNo === task.taskNo),
      ),
    ),
  }
}
