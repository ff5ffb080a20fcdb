import { bizNoOf } from '../../modules/core/biz-no.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { isOpen } from '../../modules/core/pay-attempt.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { planActNow } from './act-now.ts'
import { viewOrderTasks } from './close-order.ts'
import type { OrdersDeps } from './deps.ts'

/**
 * Asks the channel of each open payAttempt now, for a buyer who is back from the cashier and wants to know.
 * @throws ProblemError ORDER_NOT_FOUND
 */
export function refreshOrder(deps: OrdersDeps, orderNo: OrderNo, caller: string): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const file = await readOrderFile(deps.ledger, orderNo)
    const { order } = file
    if (order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `No order ${orderNo} was created.`)
    const planned = file.payAttempts
      .filter(({ state }) => isOpen(state))
      .map(({ channel, outTradeNo }) => {
        const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo })
        const asked = { bizType: 'QUERY_PAYMENT', bizNo, orderNo, channel, askedBy: caller } as const
        return planActNow(file, asked, { ...deps, now })
      })
    const writes = planned.flatMap((plan) => plan.writes)
    const tasks = planned.map(({ task }) => task)
    const answer: Answer = { status: 202, body: viewOrderTasks(file, order, tasks) }
    return writes.length === 0 ? { kind: 'answer', answer } : { kind: 'commit', writes, answer }
  })
}
