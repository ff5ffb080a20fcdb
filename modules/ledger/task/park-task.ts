import { type Instant, msOf, plusMs } from '../../core/instant.ts'
import type { Ledger } from '../table/client.ts'
import { updateOne } from '../table/commit.ts'
import { allOf, type Condition, oneOf, revIs } from '../table/conditions.ts'
import { findKeysOf } from '../table/keys.ts'
import type { Update } from '../table/make-write.ts'
import type { TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { newWake } from './plan-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'

/** A task of a later release's type is looked at this often. */
export const HOLD_MS = 60 * 60 * 1000

/** Holds while a task waits as it was read: nobody has claimed or ended it. */
export const waits = (task: TaskRow): Condition =>
  allOf(oneOf('taskWaits', 'status', ['WAITING', 'RETRY']), revIs(task.rev))

/** Until when a task is put off and why; with what a lane's gate has reserved for it. */
export interface Parking {
  readonly until: Instant
  readonly reason: string
  readonly slot?: { readonly slotAt: Instant; readonly lane: string; readonly epoch: number }
}

/** Sets a task's plan to a later moment without an attempt; the time is added to its deadline. */
export function parkTask(task: TaskRow, { until, reason, slot }: Parking, now: Instant): Update {
  const parkedMs = Math.max(0, msOf(until) - msOf(now))
  const set = {
    nextExecuteAt: until,
    wake: until,
    dueAt: plusMs(until, SWEEP_GRACE_MS),
    parkedMs: task.parkedMs + parkedMs,
    deadlineAt: plusMs(task.deadlineAt, parkedMs),
    lastErrorCode: reason,
    ...(slot !== undefined && { slotAt: slot.slotAt, slotLane: slot.lane, gateEpoch: slot.epoch }),
  }
  const losesSlot = slot === undefined && task.slotAt !== undefined
  return update(task, { set, ...(losesSlot && { remove: ['slotAt', 'slotLane', 'gateEpoch'] }) }, waits(task))
}

/** Has a parked task ask again at a nearer moment; the time that it does not sleep is taken off its deadline again. */
export function unparkTask(task: TaskRow, at: Instant): Update {
  const earlierMs = Math.max(0, msOf(task.nextExecuteAt) - msOf(at))
  const set = {
    nextExecuteAt: at,
    wake: newWake(task, at),
    dueAt: plusMs(at, SWEEP_GRACE_MS),
    parkedMs: Math.max(0, task.parkedMs - earlierMs),
    deadlineAt: plusMs(task.deadlineAt, -Math.min(earlierMs, task.parkedMs)),
  }
  return update(task, { set, remove: ['slotAt', 'slotLane', 'gateEpoch'] }, waits(task))
}

/**
 * Keeps a task whose type has no handler in this release: it waits, untouched, for one that has.
 * @returns false when somebody else was there first
 */
export async function holdTask(ledger: Ledger, task: TaskRow, now: Instant): Promise<boolean> {
  const found = findKeysOf({ ...task, status: 'RETRY' })
  const set = { dueAt: plusMs(now, HOLD_MS), lastErrorCode: 'NO_HANDLER', ...found }
  const result = await updateOne(ledger, update(task, { set, remove: ['wake'] }, waits(task)), now)
  return result.kind === 'done'
}
