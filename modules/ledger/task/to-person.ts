import { plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import type { Condition } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { TaskRow } from '../table/rows.ts'
import type { SetOf } from '../table/write-types.ts'
import { moveTask } from './move-task.ts'
import { putStartExecution, TICKET_LOOK_MS } from './put-task.ts'

/** Why a task becomes a ticket, from where, and on what condition. */
export interface Handover {
  readonly event: 'fail' | 'escalate'
  /** Stable code of why a person is asked. */
  readonly reason: string
  readonly message?: string | undefined
  readonly set?: SetOf<'TASK'>
  readonly when?: Condition
}

/** A task that a person must look at, from wherever it comes, with the trigger of its workflow. */
export function toPerson(
  task: TaskRow,
  { event, reason, message, set, when }: Handover,
  context: TaskContext,
): readonly Write[] {
  const { pk, taskNo, orderNo } = task
  const run = task.run + 1
  const dueAt = plusMs(context.now, TICKET_LOOK_MS)
  const change = { set: { lastErrorMsg: message, ...set, run, lastErrorCode: reason, dueAt } }
  return [moveTask(task, event, change, when), putStartExecution({ pk, taskNo, run, orderNo }, context)]
}

/** Hands a waiting task to a person without an attempt: looking at it was enough. */
export function escalateTask(
  task: TaskRow,
  why: { readonly reason: string; readonly message: string },
  context: TaskContext,
): readonly Write[] {
  return toPerson(task, { event: 'escalate', ...why }, context)
}
