import type { Instant } from '../../core/instant.ts'
import { isEnded } from '../../core/task.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import { revIs } from '../table/conditions.ts'
import { readRow, type TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { type PlannedTask, startTask, wakeTask } from '../task/plan-task.ts'
import { requeueWrites, startExecutionOf } from '../task/requeue-task.ts'

/** What a notice tells, whichever of its tasks: the number of the first one. */
export const eventIdOf = ({ requestSnapshot, bizNo }: TaskRow): string => {
  const first = requestSnapshot?.['replayOf']
  return typeof first === 'string' ? first : bizNo
}

/** Where a notice stands in its order's line; `undefined` for money without an order. */
export const sequenceOf = ({ requestSnapshot }: TaskRow): number | undefined => {
  const sequence = requestSnapshot?.['sequence']
  return typeof sequence === 'number' ? sequence : undefined
}

/**
 * Tells a notice once more: one that still waits is sent now, a ticket (a policy may end so) begins a new round, and one that has
 * ended gets a task of its own. That has the first one's webhook-id and bytes, so a merchant who has it already takes nothing
 * twice.
 * @param tasks all of the collection
 * @param eventId as {@link eventIdOf}; one of the tasks has it
 * @param asked by whom, and when it shall be sent
 * Source: docs/design/task-types.md; docs/adr/0014-notices.md
 */
export function planReplay(
  tasks: readonly TaskRow[],
  eventId: string,
  asked: { readonly by: string; readonly at: Instant },
  overrides: PolicyOverrides,
  now: Instant,
): PlannedTask {
  const rounds = tasks.filter((task) => task.bizType === 'NOTIFY' && eventIdOf(task) === eventId)
  const bizNos = new Set(rounds.map(({ bizNo }) => bizNo))
  const latest = rounds.find(({ bizNo }) => bizNo === bizNoOf(eventId, rounds.length - 1))
  if (latest === undefined) throw new TypeError(`Of notice ${eventId} there are only ${[...bizNos].join(', ')}.`)
  if (latest.status === 'WAITING' || latest.status === 'RETRY') return wakeTask(latest, asked.by, now)
  if (latest.status === 'MANUAL') return reopenTicket(tasks, latest, asked, overrides, now)
  if (!isEnded(latest.status)) return { task: latest, writes: [] }
  const { pk, orderNo, idempotencyKey, requestSnapshot, createdAt } = latest
  const { task, writes } = startTask(
    {
      pk,
      bizType: 'NOTIFY',
      bizNo: bizNoOf(eventId, rounds.length),
      ...(orderNo !== undefined && { orderNo }),
      source: 'MANUAL',
      at: asked.at,
      idempotencyKey,
      // The time that it tells is that of the change.
      requestSnapshot: { at: createdAt, ...requestSnapshot, replayOf: eventId, askedBy: asked.by, askedAt: now },
    },
    overrides,
    now,
  )
  return { task, writes: [...writes, ...leaveList(latest)] }
}

function reopenTicket(
  tasks: readonly TaskRow[],
  ticket: TaskRow,
  asked: { readonly by: string; readonly at: Instant },
  overrides: PolicyOverrides,
  now: Instant,
): PlannedTask {
  const startExecution = startExecutionOf(tasks, ticket)
  const writes = requeueWrites(ticket, { ...asked, startExecution }, overrides, now)
  const [reopen] = writes
  if (reopen?.op !== 'update') throw new TypeError('The reopening of a ticket became something else.')
  const removed = new Set(reopen.remove)
  const kept = Object.entries({ ...ticket, ...reopen.set }).filter(([name]) => !removed.has(name))
  const task = readRow({ ...Object.fromEntries(kept), rev: ticket.rev + 1, updatedAt: now })
  if (task.et !== 'TASK') throw new TypeError('A task became something else.')
  return { task, writes }
}

const bizNoOf = (eventId: string, round: number): string => (round === 0 ? eventId : `${eventId}/replay/${round}`)

/** One that was given up is found by its status until somebody has it told again. */
function leaveList({ pk, sk, rev, findPk }: TaskRow): readonly Write[] {
  if (findPk === undefined) return []
  return [{ op: 'update', key: { pk, sk }, remove: ['findPk', 'findSk'], when: revIs(rev) }]
}
