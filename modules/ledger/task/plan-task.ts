import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import { revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import { readRowOf, type TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { type NewTask, putTask, SWEEP_GRACE_MS } from './put-task.ts'
import { askedOf } from './snapshots.ts'

/** A task as it will stand, and the write that makes it so; no write when it stands so already. */
export interface PlannedTask {
  readonly task: TaskRow
  readonly writes: readonly Write[]
}

/** A task that somebody asks for by name: it must be ours, so a faster twin makes the transaction lose. */
export function startTask(task: NewTask, context: TaskContext): PlannedTask {
  const put = putTask(task, context)
  const row = readRowOf('TASK', { v: 1, rev: 1, updatedAt: context.now, ...put.item })
  return { task: row, writes: [{ ...put, optional: false }] }
}

/**
 * Has a waiting task (WAITING or RETRY) done now instead of at its next time; its retries and its total time stay. One whose
 * time has come needs no write: its trigger is under way.
 * @param askedBy who wants it, kept with the task
 */
export function wakeTask(task: TaskRow, askedBy: string, now: Instant): PlannedTask {
  if (task.nextExecuteAt <= now) return { task, writes: [] }
  const set = {
    nextExecuteAt: now,
    wake: newWake(task, now),
    dueAt: plusMs(now, SWEEP_GRACE_MS),
    requestSnapshot: { ...task.requestSnapshot, wokenBy: askedBy, wokenAt: now, plannedAt: planOf(task, now) },
  }
  // Each write raises the revision, so the status is still the one that was read.
  const write = update(task, { set }, revIs(task.rev))
  return { task: { ...task, ...set, rev: task.rev + 1, updatedAt: now }, writes: [write] }
}

/** The plan that being asked for puts off: that of the first who asked, while it lies ahead. */
function planOf(task: TaskRow, now: Instant): Instant {
  const { plannedAt } = askedOf(task)
  return plannedAt !== undefined && plannedAt > now ? plannedAt : task.nextExecuteAt
}

/** A trigger is sent only when `wake` changes. */
export function newWake({ wake }: TaskRow, at: Instant): Instant {
  return wake === at ? plusMs(at, 1) : at
}
