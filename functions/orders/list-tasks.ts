import type { z } from 'zod'
import type { OrderNo } from '../../modules/core/ids.ts'
import type { TaskType } from '../../modules/core/task-policies.ts'
import { readCursor, writeCursor } from '../../modules/http-api/cursor.ts'
import { type Answer, invalidField } from '../../modules/http-api/problem.ts'
import {
  type ListedStatus,
  listTasks as listByStatus,
  locateTask,
  readTask,
} from '../../modules/ledger/read/list-tasks.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { readAttempts } from '../../modules/ledger/read/read-order-page.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import type { OrdersDeps } from './deps.ts'
import type { ListTasksQuery, tasksPageView } from './task-schemas.ts'
import { viewTask, viewTaskSummary } from './views.ts'

type TasksPage = z.output<typeof tasksPageView>
type ListDeps = Pick<OrdersDeps, 'ledger' | 'channels'>

/** Lanes beside those of the channels. Source: docs/design/keys-and-rows.md, Lanes */
const OWN_LANES = ['merchant', 'internal']
/** A place in a list: `createdAt#taskNo`. */
const POSITION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[A-Z2-7]{26}$/

/**
 * Tasks by order, by business number or by status, oldest first.
 * @throws ProblemError VALIDATION_FAILED for a cursor of other origin, and where a business number leads to no order by itself
 */
export async function listTasks(deps: ListDeps, query: ListTasksQuery): Promise<Answer> {
  return { status: 200, body: await find(deps, query) }
}

function find(deps: ListDeps, query: ListTasksQuery): Promise<TasksPage> {
  const { status, orderNo, bizType, bizNo } = query
  if (status !== undefined) return pageOfStatus(deps, { ...query, status })
  if (bizType !== undefined && bizNo !== undefined) return byBizNo(deps, { ...query, bizType, bizNo })
  if (orderNo !== undefined) return pageOfOrder(deps, orderNo, query)
  throw new TypeError('The schema lets no other query through.')
}

async function pageOfStatus(
  { ledger, channels }: ListDeps,
  { status, lane, channel, cursor, limit }: ListTasksQuery & { readonly status: ListedStatus },
): Promise<TasksPage> {
  const of = `tasks/${status}/${lane ?? ''}/${channel ?? ''}`
  const after = cursor === undefined ? undefined : readPosition(of, cursor)
  // A channel's tasks stand in its own lane, and in ours where nobody outside is called.
  const lanes = lane !== undefined ? [lane] : [...(channel === undefined ? channels.keys() : [channel]), ...OWN_LANES]
  const { tasks, next } = await listByStatus(ledger, { status, lanes, after, limit })
  return {
    tasks: tasks.filter((task) => channel === undefined || task.channel === channel).map(viewTaskSummary),
    ...(next !== undefined && { nextCursor: writeCursor(of, next) }),
  }
}

async function pageOfOrder(
  { ledger }: ListDeps,
  orderNo: OrderNo,
  { taskNo, cursor, limit }: ListTasksQuery,
): Promise<TasksPage> {
  const of = `tasks/${orderNo}/${taskNo ?? ''}`
  const after = cursor === undefined ? '' : readPosition(of, cursor)
  const { tasks, attempts } = await readOrderFile(ledger, orderNo)
  const behind = tasks
    .filter((task) => (taskNo === undefined || task.taskNo === taskNo) && positionOf(task) > after)
    .toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1))
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.taskNo)
  return {
    tasks: page.map((task) => viewTask(task, attemptsOf.get(task.taskNo) ?? [])),
    ...(last !== undefined && behind.length > page.length && { nextCursor: writeCursor(of, positionOf(last)) }),
  }
}

async function byBizNo(
  { ledger }: ListDeps,
  { orderNo, bizType, bizNo }: ListTasksQuery & { readonly bizType: TaskType; readonly bizNo: string },
): Promise<TasksPage> {
  const place = orderNo === undefined ? await locateTask(ledger, bizType, bizNo) : { pk: orderPk(orderNo) }
  if (place === 'needsOrder') throw invalidField('orderNo', `is missing: the bizNo of ${bizType} leads to no order`)
  const task = place === 'nowhere' ? undefined : await readTask(ledger, place.pk, taskNoOf(bizType, bizNo))
  return { tasks: task === undefined ? [] : [viewTask(task, await readAttempts(ledger, [task]))] }
}

const positionOf = ({ createdAt, taskNo }: TaskRow): string => `${createdAt}#${taskNo}`

function readPosition(of: string, cursor: string): string {
  const position = readCursor(of, cursor)
  if (POSITION.test(position)) return position
  throw invalidField('cursor', 'must be the nextCursor of an earlier page of the same')
}
