import { bizNoOf } from '../../core/biz-no.ts'
import type { Instant } from '../../core/instant.ts'
import { isEnded } from '../../core/task.ts'
import type { TaskContext } from '../context.ts'
import { revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import { readRowOf, type TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { type PlannedTask, startTask, wakeTask } from '../task/plan-task.ts'
import { reopenTicket, requeueWrites, startExecutionOf } from '../task/requeue-task.ts'
import { requestOf } from '../task/snapshots.ts'

/** What a notice tells, whichever of its tasks: the number of the first one. */
export const eventIdOf = (task: TaskRow): string => requestOf('NOTIFY', task).replayOf ?? task.bizNo

/** Where a notice stands in its order's line; `undefined` for money without an order. */
export const sequenceOf = (task: TaskRow): number | undefined => requestOf('NOTIFY', task).sequence

/** By whom a notice is told once more, and when it shall be sent. */
export interface Replay {
  readonly by: string
  readonly at: Instant
}

/**
 * Tells a notice once more: one that still waits is sent now, a ticket (a policy may end so) begins a new round, and one that has
 * ended gets a task of its own. That has the first one's webhook-id and bytes, so a merchant who has it already takes nothing
 * twice.
 * @param tasks all of the collection
 * @param eventId as {@link eventIdOf}; one of the tasks has it
 */
export function planReplay(
  tasks: readonly TaskRow[],
  eventId: string,
  asked: Replay,
  context: TaskContext,
): PlannedTask {
  const rounds = tasks.filter((task) => task.bizType === 'NOTIFY' && eventIdOf(task) === eventId)
  const bizNos = new Set(rounds.map(({ bizNo }) => bizNo))
  const last: string = roundNo(eventId, rounds.length - 1)
  const latest = rounds.find(({ bizNo }) => bizNo === last)
  if (latest === undefined) throw new TypeError(`Of notice ${eventId} there are only ${[...bizNos].join(', ')}.`)
  if (latest.status === 'WAITING' || latest.status === 'RETRY') return wakeTask(latest, asked.by, context.now)
  if (latest.status === 'MANUAL') return tellTicket(tasks, latest, asked, context)
  if (!isEnded(latest.status)) return { task: latest, writes: [] }
  const { task, writes } = startRound(latest, { eventId, round: rounds.length }, asked, context)
  return { task, writes: [...writes, ...leaveList(latest)] }
}

function startRound(
  { pk, orderNo, idempotencyKey, requestSnapshot, createdAt, sk }: TaskRow,
  { eventId, round }: { readonly eventId: string; readonly round: number },
  { by, at }: Replay,
  context: TaskContext,
): PlannedTask {
  const { type, data = {}, ...told } = requestOf('NOTIFY', { pk, sk, requestSnapshot })
  if (type === undefined) throw new TypeError(`The notice ${eventId} has no type.`)
  // The time that it tells is that of the change.
  const again = { at: createdAt, ...told, type, data, replayOf: eventId, askedBy: by, askedAt: context.now }
  const task = { pk, bizType: 'NOTIFY', bizNo: roundNo(eventId, round), orderNo, source: 'MANUAL', at } as const
  return startTask({ ...task, idempotencyKey, requestSnapshot: again }, context)
}

function tellTicket(tasks: readonly TaskRow[], ticket: TaskRow, asked: Replay, context: TaskContext): PlannedTask {
  const startExecution = startExecutionOf(tasks, ticket)
  const { set, remove } = reopenTicket(ticket, asked, context)
  const removed = new Set(remove)
  const kept = Object.entries({ ...ticket, ...set }).filter(([name]) => !removed.has(name))
  const task = readRowOf('TASK', { ...Object.fromEntries(kept), rev: ticket.rev + 1, updatedAt: context.now })
  return { task, writes: requeueWrites(ticket, { ...asked, startExecution }, context) }
}

const roundNo = (eventId: string, round: number) => bizNoOf('NOTIFY', { eventId, ...(round > 0 && { replay: round }) })

/** One that was given up is found by its status until somebody has it told again. */
function leaveList(notice: TaskRow): readonly Write[] {
  if (notice.findPk === undefined) return []
  return [update(notice, { remove: ['findPk', 'findSk'] }, revIs(notice.rev))]
}
