import { type Instant, msOf } from '../../core/instant.ts'
import type { TaskType } from '../../core/task-policies.ts'
import type { AttemptRow, TaskRow } from '../table/rows.ts'
import { mayHaveArrivedBy } from './may-have-arrived.ts'

/** Types that look or ask before they act, or act under a key that makes a repetition the same act. */
const REPEATED_SAFELY: ReadonlySet<TaskType> = new Set([
  'QUERY_PAYMENT',
  'CLOSE_ORDER',
  'CLOSE_ATTEMPT',
  'SETTLE_CALLBACK',
  'NOTIFY',
])

/**
 * Why a ticket is a person's to decide and no machine's to repeat: what was sent without a denial may have been done.
 * @param attempts the task's own attempt rows
 * @returns a sentence, or `undefined` when it may go round again
 */
export function whyNotReopened(task: TaskRow, attempts: readonly AttemptRow[]): string | undefined {
  if (REPEATED_SAFELY.has(task.bizType)) return undefined
  if (task.bizType !== 'DELIVER') return `a ${task.bizType} is decided by a person, not repeated by a machine`
  const open = attempts.toSorted((a, b) => b.no - a.no).find(mayHaveArrivedBy)
  if (open === undefined) return undefined
  const what = open.outcome === undefined ? 'was sent and never closed' : `ended in ${open.outcome}`
  return `attempt ${open.no} ${what}, so the goods may have been handed over: ask the merchant first`
}

/** Whether an attempt of these brought an answer since: `done` or `notYet`, what the metric AttemptsDone counts. */
export function isAnsweredSince(attempts: readonly AttemptRow[], since: Instant): boolean {
  return attempts.some(
    ({ outcome, closedAt }) =>
      (outcome === 'done' || outcome === 'notYet') && closedAt !== undefined && msOf(closedAt) >= msOf(since),
  )
}
