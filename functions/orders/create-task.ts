import { bizNoOf } from '../../modules/core/biz-no.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { type AskedTask, checkGoesOn, planActNow } from './act-now.ts'
import type { OrdersDeps } from './deps.ts'
import type { CreateTaskBody } from './task-schemas.ts'
import { viewTask } from './views.ts'

/**
 * Has a question asked or an order closed now: starts the task, or wakes the one that waits.
 * @throws ProblemError ORDER_NOT_FOUND, PAY_ATTEMPT_NOT_FOUND, TASK_ENDED, TASK_MANUAL
 */
export function createTask(deps: OrdersDeps, body: CreateTaskBody, caller: string): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const file = await readOrderFile(deps.ledger, body.orderNo)
    if (file.order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `No order ${body.orderNo} was created.`)
    if (body.bizType === 'QUERY_PAYMENT' && !file.payAttempts.some((row) => isAskedFor(row, body))) {
      throw new ProblemError('PAY_ATTEMPT_NOT_FOUND', 'The order has no such payment attempt on this channel.')
    }
    const { task, writes } = planActNow(file, askedTask(body, caller), { ...deps, now })
    checkGoesOn(task)
    const attempts = file.attempts.filter(({ taskNo }) => taskNo === task.taskNo)
    const answer: Answer = { status: 202, body: viewTask(task, attempts) }
    return writes.length === 0 ? { kind: 'answer', answer } : { kind: 'commit', writes, answer }
  })
}

function isAskedFor(
  row: { readonly channel: string; readonly outTradeNo: string },
  { channel, outTradeNo }: Extract<CreateTaskBody, { bizType: 'QUERY_PAYMENT' }>,
): boolean {
  return row.channel === channel && row.outTradeNo === outTradeNo
}

function askedTask(body: CreateTaskBody, askedBy: string): AskedTask {
  const { bizType, orderNo } = body
  if (bizType === 'CLOSE_ORDER') return { bizType, bizNo: bizNoOf('CLOSE_ORDER', { orderNo }), orderNo, askedBy }
  const { channel, outTradeNo } = body
  return { bizType, bizNo: bizNoOf('QUERY_PAYMENT', { channel, outTradeNo }), orderNo, channel, askedBy }
}
