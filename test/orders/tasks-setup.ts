import { z } from 'zod'
import { tasksPageView } from '../../functions/orders/task-schemas.ts'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import { parseOutTradeNo } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import type { TaskType } from '../../modules/core/task-policies.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowIsNew } from '../../modules/ledger/table/conditions.ts'
import { findKeysOf, orderPk, taskSk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { startTask } from '../../modules/ledger/task/plan-task.ts'
import { putTask } from '../../modules/ledger/task/put-task.ts'
import { aChannel, sure } from '../support/core-builders.ts'
import { rawPut, rawUpdate } from '../support/raw-writes.ts'
import { type ApiAnswer, aFreshOrderNo, NOW, type OrdersApi } from './orders-api.ts'

type OrderNo = ReturnType<typeof aFreshOrderNo>

/** Tickets of a channel, one a minute from `NOW` on; of orders that nobody created. */
export async function putTickets(ledger: Ledger, channel: string, count: number): Promise<readonly OrderNo[]> {
  const numbers = Array.from({ length: count }, () => aFreshOrderNo())
  for (const [index, orderNo] of numbers.entries()) {
    const now = plusMs(NOW, index * 60_000)
    const id = aChannel(channel)
    const bizNo = bizNoOf('CLOSE_ATTEMPT', { channel: id, outTradeNo: sure(parseOutTradeNo(orderNo)) })
    const task = { pk: orderPk(orderNo), bizType: 'CLOSE_ATTEMPT', bizNo, orderNo, channel: id, at: now } as const
    const waiting = startTask({ ...task, source: 'POLICY' }, { policies: bindPolicies({}), now }).task
    const ticket = {
      ...waiting,
      status: 'MANUAL',
      lastErrorCode: 'TEST_TICKET',
      ...findKeysOf({ ...waiting, status: 'MANUAL' }),
    }
    await commit(ledger, [rawPut(ticket, rowIsNew)], now)
  }
  return numbers
}

/** A waiting task of an order's collection, whether the order is there or not. */
export async function putWaiting(ledger: Ledger, orderNo: OrderNo, bizType: TaskType, bizNo: string): Promise<void> {
  const task = { pk: orderPk(orderNo), bizType: 'VERIFY_STATUS', orderNo, source: 'POLICY', at: NOW } as const
  const template = { ...task, bizNo: bizNoOf('VERIFY_STATUS', { cause: bizNo }) }
  const { item } = putTask(template, { policies: bindPolicies({}), now: NOW })
  const taskNo = taskNoOf(bizType, bizNo)
  await commit(ledger, [rawPut({ ...item, bizType, bizNo, taskNo, sk: taskSk(taskNo) }, rowIsNew)], NOW)
}

/** Changes a task's row as another function would, index keys included. */
export async function setTask(
  ledger: Ledger,
  orderNo: OrderNo,
  bizType: TaskType,
  bizNo: string,
  set: { readonly status: 'WAITING' | 'PROCESSING' | 'RETRY' | 'SUCCESS' | 'MANUAL' | 'CLOSED' } & Record<
    string,
    unknown
  >,
): Promise<void> {
  const task = await taskOf(ledger, orderNo, bizType, bizNo)
  const isFound = set.status === 'MANUAL' || set.status === 'RETRY'
  const found = isFound ? findKeysOf({ ...task, status: set.status }) : {}
  const remove = isFound ? [] : ['findPk', 'findSk']
  await commit(ledger, [rawUpdate(task, { set: { ...set, ...found }, remove })], NOW)
}

export async function taskOf(ledger: Ledger, orderNo: OrderNo, bizType: TaskType, bizNo: string) {
  const { tasks } = await readOrderFile(ledger, orderNo)
  return sure(tasks.find(({ sk }) => sk === taskSk(taskNoOf(bizType, bizNo))))
}

const page = z.strictObject(tasksPageView.shape)

export async function listTasks(api: OrdersApi, query: Record<string, string>) {
  const answer = await api.send('GET /tasks', { query })
  if (answer.status !== 200) throw new Error(`The list was refused: ${answer.text}`)
  return page.parse(answer.body)
}

/** Every page of a list to its end. @param between is called after each page but the last */
export async function listAll(
  api: OrdersApi,
  query: Record<string, string>,
  between: () => Promise<unknown> = async () => undefined,
) {
  const found: z.output<typeof tasksPageView>['tasks'] = []
  for (let cursor: string | undefined; ; ) {
    const { tasks, nextCursor } = await listTasks(api, { ...query, ...(cursor !== undefined && { cursor }) })
    found.push(...tasks)
    if (nextCursor === undefined) return found
    cursor = nextCursor
    await between()
  }
}

export const askTask = (api: OrdersApi, body: unknown): Promise<ApiAnswer> => api.send('POST /tasks', { body })

export const soon = (seconds: number): Instant => plusMs(NOW, seconds * 1000)
