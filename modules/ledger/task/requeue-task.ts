import { type Instant, msOf, plusMs } from '../../core/instant.ts'
import { type PolicyOverrides, policyOf, type TaskType } from '../../core/task-policies.ts'
import { allOf, revIs, taskIsManual } from '../table/conditions.ts'
import { duePkOf } from '../table/keys.ts'
import type { AttemptRow, TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { mayHaveArrivedBy } from './may-have-arrived.ts'
import { endTask } from './move-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'

/** Types that look or ask before they act, or act under a key that makes a repetition the same act. */
const REPEATED_SAFELY: ReadonlySet<TaskType> = new Set([
  'QUERY_PAYMENT',
  'CLOSE_ORDER',
  'CLOSE_ATTEMPT',
  'SETTLE_CALLBACK',
  'NOTIFY',
])

/**
 * Why a ticket is a person's to decide and no machine's to repeat.
 * @param attempts the task's own attempt rows
 * @returns a sentence, or `undefined` when it may go round again
 * Source: docs/design/flows.md, Watching the watcher; docs/design/tickets.md, Assessment
 */
export function whyNotReopened(task: TaskRow, attempts: readonly AttemptRow[]): string | undefined {
  if (REPEATED_SAFELY.has(task.bizType)) return undefined
  if (task.bizType !== 'DELIVER') return `a ${task.bizType} is decided by a person, not repeated by a machine`
  const open = attempts.toSorted((a, b) => b.no - a.no).find(mayHaveArrivedBy)
  if (open === undefined) return undefined
  const what = open.outcome === undefined ? 'was sent and never closed' : `ended in ${open.outcome}`
  return `attempt ${open.no} ${what}, so the goods may have been handed over: ask the merchant first`
}

/** Whether a task still waits for the very time that a requeue gave it: sending it round twice changes nothing. */
export function isRequeued(task: TaskRow): boolean {
  const waits = task.status === 'WAITING' || task.status === 'RETRY'
  return waits && task.requestSnapshot?.['requeuedFor'] === task.nextExecuteAt
}

/** The trigger of a ticket's present run, while it waits. */
export function startExecutionOf(tasks: readonly TaskRow[], { taskNo, run }: TaskRow): TaskRow | undefined {
  return tasks.find(
    ({ bizType, bizNo, status }) =>
      bizType === 'START_EXECUTION' && bizNo === `${taskNo}/${run}` && (status === 'WAITING' || status === 'RETRY'),
  )
}

/**
 * Sends a stuck task round again at `at`. One that waits keeps its retries and its total time; a ticket begins a new round (no
 * retry used, its whole time again) under the same idempotency key, and the trigger of its workflow ends with it.
 * @param at not before `now`
 * @param by who wants it, kept with the task
 * @param startExecution the ticket's START_EXECUTION of the present run, when there is one
 * @throws TypeError for a task that neither waits nor is a ticket: a bug in the caller
 * Source: docs/design/states.md, Task; docs/design/flows.md, Watching the watcher
 */
export function requeueWrites(
  task: TaskRow,
  asked: { readonly at: Instant; readonly by: string; readonly startExecution?: TaskRow | undefined },
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  // A trigger is sent only when `wake` changes.
  const at = task.wake === asked.at ? plusMs(asked.at, 1) : asked.at
  const set = {
    nextExecuteAt: at,
    wake: at,
    dueAt: plusMs(at, SWEEP_GRACE_MS),
    requestSnapshot: { ...task.requestSnapshot, requeuedBy: asked.by, requeuedAt: now, requeuedFor: at },
  }
  const key = { pk: task.pk, sk: task.sk }
  switch (task.status) {
    case 'WAITING':
    case 'RETRY':
      // Each write raises the revision, so the status is still the one that was read.
      return [{ op: 'update', key, set, when: revIs(task.rev) }]
    case 'MANUAL': {
      const reopen: Write = {
        op: 'update',
        key,
        set: { ...set, ...newRound(task, at, overrides), duePk: duePkOf(task.pk) },
        remove: ['failedAt', 'findPk', 'findSk', 'lockedBy', 'lockedAt', 'slotAt', 'slotLane', 'gateEpoch'],
        when: allOf(taskIsManual, revIs(task.rev)),
      }
      const { startExecution } = asked
      if (startExecution === undefined) return [reopen]
      // Should another have touched the trigger meanwhile, it finds no ticket and ends by itself.
      return [reopen, { ...endTask(startExecution, 'CLOSED', 'TICKET_REOPENED'), optional: true }]
    }
    case 'PROCESSING':
    case 'SUCCESS':
    case 'CLOSED':
      throw new TypeError(`A task in ${task.status} cannot be sent round again.`)
  }
}

function newRound(task: TaskRow, at: Instant, overrides: PolicyOverrides) {
  const { totalMs } = policyOf(task.bizType, task.channel, overrides)
  return { status: 'WAITING', retryCount: 0, parkedMs: 0, deadlineAt: plusMs(at, totalMs) }
}

/** Whether an attempt of these brought an answer since: `done` or `notYet`, what the metric AttemptsDone counts. */
export function isAnsweredSince(attempts: readonly AttemptRow[], since: Instant): boolean {
  return attempts.some(
    ({ outcome, closedAt }) =>
      (outcome === 'done' || outcome === 'notYet') && closedAt !== undefined && msOf(closedAt) >= msOf(since),
  )
}
