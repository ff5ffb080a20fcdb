import type { BizNo } from '../../modules/core/biz-no.ts'
import type { ChannelId, OrderNo } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { ProblemError } from '../../modules/http-api/problem.ts'
import type { TaskContext } from '../../modules/ledger/context.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { type PlannedTask, startTask, wakeTask } from '../../modules/ledger/task/plan-task.ts'
import { askedOf } from '../../modules/ledger/task/snapshots.ts'

/** What is asked for and by whom. */
export type AskedTask = {
  readonly orderNo: OrderNo
  readonly askedBy: string
} & (
  | { readonly bizType: 'CLOSE_ORDER'; readonly bizNo: BizNo<'CLOSE_ORDER'> }
  | { readonly bizType: 'QUERY_PAYMENT'; readonly bizNo: BizNo<'QUERY_PAYMENT'>; readonly channel: ChannelId }
)

/** The task of the order's file as it will stand when it is to act now: started, woken, or left as it is. */
export function planActNow(file: OrderFile, { askedBy, ...asked }: AskedTask, context: TaskContext): PlannedTask {
  const { now } = context
  const taskNo = taskNoOf(asked.bizType, asked.bizNo)
  const existing = file.tasks.find((task) => task.taskNo === taskNo)
  if (existing === undefined) {
    const requestSnapshot = { askedBy, askedAt: now }
    return startTask({ ...asked, pk: file.pk, source: 'MANUAL', at: now, requestSnapshot }, context)
  }
  const waits = existing.status === 'WAITING' || existing.status === 'RETRY'
  return waits && !wasJustAsked(existing, now) ? wakeTask(existing, askedBy, now) : { task: existing, writes: [] }
}

/** A page may refresh as it likes: one question in so many ms is all that it brings about. */
const ASK_AGAIN_MS = 10_000

function wasJustAsked(task: TaskRow, now: Instant): boolean {
  const { wokenAt } = askedOf(task)
  return task.bizType === 'QUERY_PAYMENT' && wokenAt !== undefined && now < plusMs(wokenAt, ASK_AGAIN_MS)
}

/** @throws ProblemError TASK_ENDED, TASK_MANUAL when no machine goes on with the task */
export function checkGoesOn({ taskNo, status, lastErrorCode }: TaskRow): void {
  if (status === 'MANUAL') {
    throw new ProblemError('TASK_MANUAL', `A person must decide task ${taskNo} (${lastErrorCode ?? 'no code'}).`, {
      taskStatus: status,
    })
  }
  if (status === 'SUCCESS' || status === 'CLOSED') {
    throw new ProblemError('TASK_ENDED', `Task ${taskNo} has ended: ${status}. Read the order for what it came to.`, {
      taskStatus: status,
    })
  }
}
