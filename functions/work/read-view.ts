import type { TaskNo } from '../../modules/core/ids.ts'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { orderRowKeyOf, taskSk } from '../../modules/ledger/table/keys.ts'
import { log } from '../../modules/runtime/telemetry/log.ts'
import type { TaskView } from './task-handler.ts'
import type { WorkDeps } from './work-deps.ts'

/**
 * Task and order in one consistent BatchGetItem, then what the handler asks for.
 * @returns `undefined` when the message names no task
 */
export async function readView(
  { ledger, handlers, now }: WorkDeps,
  { pk, taskNo }: { readonly pk: string; readonly taskNo: TaskNo },
): Promise<TaskView | undefined> {
  const orderKey = orderRowKeyOf(pk)
  const keys = [{ pk, sk: taskSk(taskNo) }, ...(orderKey === undefined ? [] : [orderKey])]
  const [task, order] = await readRows(ledger, keys)
  if (task?.et !== 'TASK') {
    log('WARN', 'A message names a task that does not exist.', { taskNo })
    return undefined
  }
  const found = order?.et === 'ORDER' ? order : undefined
  const rows = (await handlers[task.bizType]?.load?.(ledger, task, found)) ?? []
  return { task, rows, now: now(), ...(found !== undefined && { order: found }) }
}
