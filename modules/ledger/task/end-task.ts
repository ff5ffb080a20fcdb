import type { Condition } from '../table/conditions.ts'
import type { Update } from '../table/make-write.ts'
import type { TaskRow } from '../table/rows.ts'
import { moveTask } from './move-task.ts'

/**
 * Ends a task that has nothing left to do, in one write and with the reason; no attempt is made.
 * @param status SUCCESS where what it was for is so, CLOSED where it is no longer wanted
 */
export function endTask(task: TaskRow, status: 'SUCCESS' | 'CLOSED', reason: string, when?: Condition): Update {
  const resultSnapshot = { ...task.resultSnapshot, endedBecause: reason }
  return moveTask(task, status === 'SUCCESS' ? 'endDone' : 'endMoot', { set: { resultSnapshot } }, when)
}
