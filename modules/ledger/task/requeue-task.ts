import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import { revIs } from '../table/conditions.ts'
import { duePkOf } from '../table/keys.ts'
import type { Update, Write } from '../table/make-write.ts'
import type { TaskRow } from '../table/rows.ts'
import { optional, update } from '../table/writes.ts'
import { endTask } from './end-task.ts'
import { moveTask } from './move-task.ts'
import { newWake } from './plan-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'
import { askedOf } from './snapshots.ts'

/** Whether a task still waits for the very time that a requeue gave it: sending it round twice changes nothing. */
export function isRequeued(task: TaskRow): boolean {
  const waits = task.status === 'WAITING' || task.status === 'RETRY'
  return waits && askedOf(task).requeuedFor === task.nextExecuteAt
}

/** The trigger of a ticket's present run, while it waits. */
export function startExecutionOf(tasks: readonly TaskRow[], { taskNo, run }: TaskRow): TaskRow | undefined {
  return tasks.find(
    ({ bizType, bizNo, status }) =>
      bizType === 'START_EXECUTION' && bizNo === `${taskNo}/${run}` && (status === 'WAITING' || status === 'RETRY'),
  )
}

/** When a task shall go round again, and who wants it. */
export interface Requeue {
  /** Not before `now`. */
  readonly at: Instant
  readonly by: string
  /** The ticket's START_EXECUTION of the present run, when there is one. */
  readonly startExecution?: TaskRow | undefined
}

/**
 * Sends a stuck task round again at `at`. One that waits keeps its retries and its total time; a ticket begins a new round (no
 * retry used, its whole time again) under the same idempotency key, and the trigger of its workflow ends with it.
 * @throws TypeError for a task that neither waits nor is a ticket: a bug in the caller
 */
export function requeueWrites(task: TaskRow, asked: Requeue, context: TaskContext): readonly Write[] {
  switch (task.status) {
    case 'WAITING':
    case 'RETRY':
      // Each write raises the revision, so the status is still the one that was read.
      return [update(task, { set: goRound(task, asked, context.now) }, revIs(task.rev))]
    case 'MANUAL': {
      const { startExecution } = asked
      const reopened = reopenTicket(task, asked, context)
      if (startExecution === undefined) return [reopened]
      // Should another have touched the trigger meanwhile, it finds no ticket and ends by itself.
      return [reopened, optional(endTask(startExecution, 'CLOSED', 'TICKET_REOPENED'))]
    }
    case 'PROCESSING':
    case 'SUCCESS':
    case 'CLOSED':
      throw new TypeError(`A task in ${task.status} cannot be sent round again.`)
  }
}

/** A ticket's new round. */
export function reopenTicket(task: TaskRow, asked: Requeue, { policies, now }: TaskContext): Update {
  const again = goRound(task, asked, now)
  const { totalMs } = policies.of(task.bizType, task.channel)
  const deadlineAt = plusMs(again.nextExecuteAt, totalMs)
  const set = { ...again, retryCount: 0, parkedMs: 0, deadlineAt, duePk: duePkOf(task.pk) }
  return moveTask(task, 'reopen', { set })
}

function goRound(task: TaskRow, { at, by }: Requeue, now: Instant) {
  const nextExecuteAt = newWake(task, at)
  return {
    nextExecuteAt,
    wake: nextExecuteAt,
    dueAt: plusMs(nextExecuteAt, SWEEP_GRACE_MS),
    requestSnapshot: { ...task.requestSnapshot, requeuedBy: by, requeuedAt: now, requeuedFor: nextExecuteAt },
  }
}
