import { type Instant, msOf, plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import type { Ledger } from '../table/client.ts'
import { updateOne } from '../table/commit.ts'
import { allOf, dueAtIs, isAbsent, revIs, rowExists } from '../table/conditions.ts'
import { attemptSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { moveTask } from './move-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'
import { toPerson } from './to-person.ts'

/** The sweep looks again at a row that it woke after this long. */
export const RETOUCH_MS = 5 * 60 * 1000
/** A task whose every try is abandoned goes to a person this long after its total time. */
const ABANDONED_GRACE_MS = 60 * 60 * 1000

/**
 * Takes a task back from a worker that did not come back in its lease: it waits again, its attempt is closed as ABANDONED
 * (which counts as sent), and the next worker asks before it repeats. A task that kills its workers again and again is no
 * machine's to repair: past its total time a person gets it.
 */
export function abandonWrites(task: TaskRow, seenDueAt: Instant, context: TaskContext): readonly Write[] {
  const { now } = context
  const { pk, taskNo, attempts } = task
  const closed = { closedAt: now, outcome: 'ABANDONED', rule: 'lease lapsed' } as const
  const attempt = { et: 'ATTEMPT', pk, sk: attemptSk(taskNo, attempts) } as const
  return [
    ...takeBack(task, seenDueAt, context),
    update(attempt, { set: closed }, allOf(rowExists, isAbsent('closedAt'))),
  ]
}

function takeBack(task: TaskRow, seenDueAt: Instant, context: TaskContext): readonly Write[] {
  const { now } = context
  const when = allOf(revIs(task.rev), dueAtIs(seenDueAt))
  if (msOf(now) >= msOf(task.deadlineAt) + ABANDONED_GRACE_MS) {
    const message = 'No worker came back with an outcome in all its time.'
    return toPerson(task, { event: 'fail', reason: 'ABANDONED', message, set: { failedAt: now }, when }, context)
  }
  const dueAt = plusMs(now, SWEEP_GRACE_MS)
  return [
    moveTask(task, 'abandon', { set: { nextExecuteAt: now, wake: now, dueAt, lastErrorCode: 'ABANDONED' } }, when),
  ]
}

/** Asks for a trigger now, for a row whose trigger never came. @returns false when somebody else was there first */
export async function touchTask(ledger: Ledger, task: TaskRow, seenDueAt: Instant, now: Instant): Promise<boolean> {
  const set = { wake: now, dueAt: plusMs(now, RETOUCH_MS) }
  return (await updateOne(ledger, update(task, { set }, dueAtIs(seenDueAt)), now)).kind === 'done'
}

/** Puts off the sweep's next look at a row that needs nothing now. @returns as {@link touchTask} */
export async function lookLater(
  ledger: Ledger,
  row: TaskRow | OrderRow,
  seenDueAt: Instant,
  look: { readonly laterMs: number; readonly now: Instant },
): Promise<boolean> {
  const set = { dueAt: plusMs(look.now, look.laterMs) }
  const write = update<'TASK' | 'ORDER'>(row, { set }, dueAtIs(seenDueAt))
  return (await updateOne(ledger, write, look.now)).kind === 'done'
}
