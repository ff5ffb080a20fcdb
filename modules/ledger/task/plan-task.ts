import { type Instant, plusMs } from '../../core/instant.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import { revIs } from '../table/conditions.ts'
import { readRow, type TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { type NewTask, putTask, SWEEP_GRACE_MS } from './put-task.ts'

/** A task as it will stand, and the write that makes it so; no write when it stands so already. */
export interface PlannedTask {
  readonly task: TaskRow
  readonly writes: readonly Write[]
}

/** A task that somebody asks for by name: it must be ours, so a faster twin makes the transaction lose. */
export function startTask(task: NewTask, overrides: PolicyOverrides, now: Instant): PlannedTask {
  const put = putTask(task, overrides, now)
  if (put.op !== 'put') throw new TypeError('The put of a task became something else.')
  const row = readRow({ v: 1, rev: 1, updatedAt: now, ...put.item })
  if (row.et !== 'TASK') throw new TypeError('A task became something else.')
  return { task: row, writes: [{ ...put, optional: false }] }
}

/**
 * Has a waiting task (WAITING or RETRY) done now instead of at its next time; its retries and its total time stay. One whose
 * time has come needs no write: its trigger is under way.
 * @param askedBy who wants it, kept with the task
 * Source: docs/design/task-times.md
 */
export function wakeTask(task: TaskRow, askedBy: string, now: Instant): PlannedTask {
  if (task.nextExecuteAt <= now) return { task, writes: [] }
  const set = {
    nextExecuteAt: now,
    // A trigger is sent only when `wake` changes.
    wake: task.wake === now ? plusMs(now, 1) : now,
    dueAt: plusMs(now, SWEEP_GRACE_MS),
    requestSnapshot: { ...task.requestSnapshot, wokenBy: askedBy, wokenAt: now },
  }
  // Each write raises the revision, so the status is still the one that was read.
  const write: Write = { op: 'update', key: { pk: task.pk, sk: task.sk }, set, when: revIs(task.rev) }
  return { task: { ...task, ...set, rev: task.rev + 1, updatedAt: now }, writes: [write] }
}
