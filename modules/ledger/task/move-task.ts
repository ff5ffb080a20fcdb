import { stepOf } from '../../core/machine.ts'
import { type TaskEvent, type TaskStatus, taskMachine } from '../../core/task.ts'
import { type Condition, revIs } from '../table/conditions.ts'
import { findKeysOf } from '../table/keys.ts'
import type { Update } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { TaskRow } from '../table/rows.ts'
import type { Change, RemovableOf, Target } from '../table/write-types.ts'

const HOLDER = ['lockedBy', 'lockedAt'] as const
const SLOT = ['slotAt', 'slotLane', 'gateEpoch'] as const
const INDEXED = ['duePk', 'dueAt', 'findPk', 'findSk'] as const

/** What a task does not take along into a status. */
const LEFT_BEHIND: { readonly [Status in TaskStatus]: readonly RemovableOf<'TASK'>[] } = {
  WAITING: [...HOLDER, ...SLOT, 'findPk', 'findSk', 'failedAt'],
  PROCESSING: ['wake', 'findPk', 'findSk', ...SLOT],
  RETRY: [...HOLDER, 'misconfiguredSince'],
  MANUAL: ['wake', ...HOLDER, ...SLOT, 'misconfiguredSince'],
  SUCCESS: ['wake', ...HOLDER, ...INDEXED, 'misconfiguredSince'],
  CLOSED: ['wake', ...HOLDER, ...INDEXED, 'misconfiguredSince'],
}

/** Moves after which a task is looked for by its status: what climbs its ladder, what a person has, what was given up. */
const FOUND_AFTER: ReadonlySet<TaskEvent> = new Set<TaskEvent>(['retry', 'fail', 'escalate', 'giveUp'])

/**
 * The only way a task's status changes, for all its moves: the machine says where the event leads, and the attributes that only its
 * former status had go, the indexes' too.
 * @param change what changes beside; its `set` wins over what is left behind
 * @param when as which the task must still stand, beside the status; its revision unless something else proves more
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function moveTask(
  task: TaskRow,
  event: TaskEvent,
  change: Change<'TASK'> = {},
  when: Condition = revIs(task.rev),
): Update {
  const to = stepOf(taskMachine, task.status, event)
  const found = to !== undefined && FOUND_AFTER.has(event) ? findKeysOf({ ...task, status: to }) : {}
  const set = { ...found, ...change.set }
  const kept = new Set(Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [name])))
  const left = [...(to === undefined ? [] : LEFT_BEHIND[to]), ...(change.remove ?? [])]
  const remove = [...new Set(left)].filter((name) => !kept.has(name))
  return moveRow(taskMachine, { target: task, from: task.status }, event, { change: { ...change, set, remove }, when })
}

/**
 * Ends a task that was not read, wherever it waits: what it was for is so. A row that has ended, or is held, makes the write fail.
 */
export function endUnread(target: Target<'TASK'>, reason: string): Update {
  const change = { set: { resultSnapshot: { endedBecause: reason } }, remove: LEFT_BEHIND.SUCCESS }
  return moveRow(taskMachine, { target, from: 'MANUAL' }, 'endDone', { change })
}
