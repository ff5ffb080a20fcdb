import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Instant, msOf, plusMs } from '../../core/instant.ts'
import { statesBefore } from '../../core/machine.ts'
import { taskMachine } from '../../core/task.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import type { Ledger } from '../table/client.ts'
import { allOf, type Condition, dueAtIs, isAbsent, revIs, rowExists } from '../table/conditions.ts'
import { attemptSk, findKeysOf } from '../table/keys.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import { toUpdate, type Update, type Write } from '../table/writes.ts'
import { manual } from './finish-attempt.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'

/** The sweep looks again at a row that it woke after this long. Source: docs/design/task-times.md */
export const RETOUCH_MS = 5 * 60 * 1000
/** A task of a later release's type is looked at this often. */
export const HOLD_MS = 60 * 60 * 1000

const waits = (task: TaskRow): Condition =>
  allOf(
    {
      name: 'taskWaits',
      expression: '#status IN (:taskWaits0, :taskWaits1)',
      names: { '#status': 'status' },
      values: { ':taskWaits0': 'WAITING', ':taskWaits1': 'RETRY' },
    },
    revIs(task.rev),
  )

/**
 * Sets a task's plan to a later moment without an attempt; the time is added to its deadline.
 * @param slot what a lane's gate has reserved for it
 */
export function parkTask(
  task: TaskRow,
  until: Instant,
  reason: string,
  now: Instant,
  slot?: { readonly slotAt: Instant; readonly lane: string; readonly epoch: number },
): Update {
  const parkedMs = Math.max(0, msOf(until) - msOf(now))
  return {
    op: 'update',
    key: { pk: task.pk, sk: task.sk },
    set: {
      nextExecuteAt: until,
      wake: until,
      dueAt: plusMs(until, SWEEP_GRACE_MS),
      parkedMs: task.parkedMs + parkedMs,
      deadlineAt: plusMs(task.deadlineAt, parkedMs),
      lastErrorCode: reason,
      ...(slot !== undefined && { slotAt: slot.slotAt, slotLane: slot.lane, gateEpoch: slot.epoch }),
    },
    ...(slot === undefined && task.slotAt !== undefined && { remove: ['slotAt', 'slotLane', 'gateEpoch'] }),
    when: waits(task),
  }
}

/** Ends a task that has nothing left to do, in one write and with the reason; no attempt is made. */
export function endTask(task: TaskRow, status: 'SUCCESS' | 'CLOSED', reason: string): Update {
  const before = statesBefore(taskMachine, status === 'SUCCESS' ? 'endDone' : 'endMoot')
  return {
    op: 'update',
    key: { pk: task.pk, sk: task.sk },
    set: { status, resultSnapshot: { ...task.resultSnapshot, endedBecause: reason } },
    remove: ['wake', 'duePk', 'dueAt', 'findPk', 'findSk', 'lockedBy', 'lockedAt'],
    when: allOf(
      {
        name: 'taskMayEnd',
        expression: `#status IN (${before.map((_, index) => `:mayEnd${index}`).join(', ')})`,
        names: { '#status': 'status' },
        values: Object.fromEntries(before.map((state, index) => [`:mayEnd${index}`, state])),
      },
      revIs(task.rev),
    ),
  }
}

/** Hands a waiting task to a person without an attempt: looking at it was enough. */
export function escalateTask(
  task: TaskRow,
  reason: string,
  message: string,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const { set, remove, also } = manual(task, reason, message, overrides, now)
  const gone = remove.filter((name) => set[name] === undefined)
  return [{ op: 'update', key: { pk: task.pk, sk: task.sk }, set, remove: gone, when: waits(task) }, ...also]
}

/** A task whose every try is abandoned goes to a person this long after its total time. */
const ABANDONED_GRACE_MS = 60 * 60 * 1000

/**
 * Takes a task back from a worker that did not come back in its lease: it waits again, its attempt is closed as ABANDONED
 * (which counts as sent), and the next worker asks before it repeats. A task that kills its workers again and again is no
 * machine's to repair: past its total time a person gets it.
 * Source: docs/design/states.md, Task
 */
export function abandonWrites(
  task: TaskRow,
  seenDueAt: Instant,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const isLost = msOf(now) >= msOf(task.deadlineAt) + ABANDONED_GRACE_MS
  const change = isLost
    ? manual(task, 'ABANDONED', 'No worker came back with an outcome in all its time.', overrides, now, {
        failedAt: now,
      })
    : waitAgain(now)
  const { set, remove, also } = change
  return [
    {
      op: 'update',
      key: { pk: task.pk, sk: task.sk },
      set,
      remove: remove.filter((name) => set[name] === undefined),
      when: allOf(revIs(task.rev), dueAtIs(seenDueAt)),
    },
    {
      op: 'update',
      key: { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) },
      set: { closedAt: now, outcome: 'ABANDONED', rule: 'lease lapsed' },
      when: allOf(rowExists, isAbsent('closedAt')),
    },
    ...also,
  ]
}

function waitAgain(now: Instant): ReturnType<typeof manual> {
  return {
    set: {
      status: 'WAITING',
      nextExecuteAt: now,
      wake: now,
      dueAt: plusMs(now, SWEEP_GRACE_MS),
      lastErrorCode: 'ABANDONED',
    },
    remove: ['lockedBy', 'lockedAt'],
    also: [],
  }
}

const SOMEBODY_ELSE: ReadonlySet<string> = new Set(['ConditionalCheckFailedException', 'TransactionConflictException'])

/** Single-row changes that need no transaction; `false` when somebody else was there first. */
async function updateIf(
  ledger: Ledger,
  row: TaskRow | OrderRow,
  change: Parameters<typeof toUpdate>[0],
  when: Condition,
  now: Instant,
): Promise<boolean> {
  const update = toUpdate(change, now)
  try {
    await ledger.client.send(
      new UpdateCommand({
        TableName: ledger.table,
        Key: { pk: row.pk, sk: row.sk },
        UpdateExpression: update.expression,
        ConditionExpression: when.expression,
        ExpressionAttributeNames: { ...update.names, ...when.names },
        ExpressionAttributeValues: { ...update.values, ...when.values },
      }),
    )
    return true
  } catch (error) {
    // A transaction on the row is somebody who acts on it, too.
    if (error instanceof Error && SOMEBODY_ELSE.has(error.name)) return false
    throw error
  }
}

/** Asks for a trigger now, for a row whose trigger never came. */
export function touchTask(ledger: Ledger, task: TaskRow, seenDueAt: Instant, now: Instant): Promise<boolean> {
  const change = { set: { wake: now, dueAt: plusMs(now, RETOUCH_MS) } }
  return updateIf(ledger, task, change, dueAtIs(seenDueAt), now)
}

/** Puts off the sweep's next look at a row that needs nothing now. */
export function lookLater(
  ledger: Ledger,
  row: TaskRow | OrderRow,
  seenDueAt: Instant,
  laterMs: number,
  now: Instant,
): Promise<boolean> {
  return updateIf(ledger, row, { set: { dueAt: plusMs(now, laterMs) } }, dueAtIs(seenDueAt), now)
}

/** Keeps a task whose type has no handler in this release: it waits, untouched, for one that has. */
export function holdTask(ledger: Ledger, task: TaskRow, now: Instant): Promise<boolean> {
  const change = {
    set: { dueAt: plusMs(now, HOLD_MS), lastErrorCode: 'NO_HANDLER', ...findKeysOf({ ...task, status: 'RETRY' }) },
    remove: ['wake'],
  }
  return updateIf(ledger, task, change, waits(task), now)
}
