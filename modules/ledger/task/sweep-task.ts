import { decideRetry } from '../../core/decide-retry.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskContext } from '../context.ts'
import type { Ledger } from '../table/client.ts'
import { updateOne } from '../table/commit.ts'
import { allOf, dueAtIs, isAbsent, revIs, rowExists } from '../table/conditions.ts'
import { attemptSk, shardOf } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { moveTask } from './move-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'
import { toPerson } from './to-person.ts'

/** The sweep looks again at a row that it woke after this long. */
export const RETOUCH_MS = 5 * 60 * 1000
/** For so long after its total time an abandoned task may still be tried, while it has retries. */
const LAST_TRY_GRACE_MS = 60 * 60 * 1000

/**
 * Takes a task back from a worker that did not come back in its lease. Its attempt is closed as ABANDONED, which counts as sent, so
 * the next worker asks before it repeats. It climbs its ladder like any other: one that kills its workers each time ends as a
 * ticket (or given up, where a replay exists).
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
  const { now, policies } = context
  const when = allOf(revIs(task.rev), dueAtIs(seenDueAt))
  const policy = policies.of(task.bizType, task.channel)
  // The last try may be the one that records what became of it all: it is made once more where its worker died.
  const patient = { ...task, deadlineAt: plusMs(task.deadlineAt, LAST_TRY_GRACE_MS) }
  const decision = decideRetry(patient, { kind: 'unknown' }, { policy, now, jitter: jitterOf(task) })
  switch (decision.kind) {
    case 'retry': {
      const { nextExecuteAt, retryCount } = decision
      const times = { nextExecuteAt, wake: nextExecuteAt, dueAt: plusMs(nextExecuteAt, SWEEP_GRACE_MS) }
      return [moveTask(task, 'abandon', { set: { ...times, retryCount, lastErrorCode: 'ABANDONED' } }, when)]
    }
    case 'close':
      return [moveTask(task, 'giveUp', { set: { failedAt: now, lastErrorCode: 'ABANDONED' } }, when)]
    case 'manual': {
      const message = `No worker came back with an outcome, at last after ${task.attempts} attempts.`
      return toPerson(task, { event: 'fail', reason: 'ABANDONED', message, set: { failedAt: now }, when }, context)
    }
    case 'succeed':
    case 'pause':
      throw new TypeError(`An abandoned attempt cannot ${decision.kind}.`)
  }
}

/** Spread over tasks and tries, and the same for whoever takes the task back. */
const jitterOf = ({ taskNo, attempts }: TaskRow): number => shardOf(`${taskNo}/${attempts}`, 1000) / 1000

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
