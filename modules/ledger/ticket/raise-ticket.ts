import { bizNoOf } from '../../core/biz-no.ts'
import type { ChannelId, OrderNo, TaskNo } from '../../core/ids.ts'
import { isEnded } from '../../core/task.ts'
import type { TaskContext } from '../context.ts'
import { revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { TaskRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'
import { putTicket } from '../task/put-task.ts'
import { toPerson } from '../task/to-person.ts'

/** One business fact that only a person can take further, as it is heard now. */
export interface Fact {
  readonly pk: string
  readonly orderNo: OrderNo | undefined
  readonly kind: string
  readonly channel: ChannelId
  /** What the fact is about: a transaction, else a field or code. */
  readonly id: string
  /** Stable code of why a person is asked, and a sentence. */
  readonly reason: string
  readonly message?: string
  /** Sort key of what proves this news. */
  readonly evidence: string
  readonly details: Readonly<Record<string, unknown>>
  /** How much money is away by it, in minor units: more than a decision knew opens the fact anew. */
  readonly gone?: number
}

export interface Raised {
  readonly taskNo: TaskNo
  readonly writes: readonly Write[]
  /** False where an open ticket got the news as evidence, or an ended one knew it already. */
  readonly isNew: boolean
}

/** An open ticket keeps so many pieces of evidence by name; what comes after is counted. */
const MAX_EVIDENCE = 20

/**
 * One fact, one ticket: news of it is appended while its ticket is open, and opens the next generation only when more money is
 * gone than the last decision knew.
 * @param tasks of the collection that the ticket stands in
 * Source: docs/design/tickets.md
 */
export function raiseTicket(tasks: readonly TaskRow[], fact: Fact, context: TaskContext): Raised {
  const { newest, generation } = newestOf(tasks, fact)
  if (newest === undefined) return openTicket(fact, generation, context)
  const { taskNo, status } = newest
  if (status === 'MANUAL') return { taskNo, writes: [append(newest, fact)], isNew: false }
  if (!isEnded(status)) {
    const { reason, message } = fact
    const handover = { event: 'escalate', reason, message, set: appended(newest, fact) } as const
    return { taskNo, writes: toPerson(newest, handover, context), isNew: true }
  }
  const known = Number(newest.resultSnapshot?.['gone'] ?? newest.requestSnapshot?.['gone'] ?? 0)
  if ((fact.gone ?? 0) <= known) return { taskNo, writes: [], isNew: false }
  return openTicket(fact, generation + 1, context)
}

/** Adds news to a ticket that is open, and to no other; for facts whose ticket another rule opened. */
export function appendTo(ticket: TaskRow, fact: Pick<Fact, 'evidence' | 'details' | 'gone'>): readonly Write[] {
  return ticket.status === 'MANUAL' ? [append(ticket, fact)] : []
}

/** The business number of a fact's ticket. */
export function factNo({ kind, channel, id }: Pick<Fact, 'kind' | 'channel' | 'id'>, generation: number) {
  return bizNoOf('REVIEW', { kind, channel, id: `${id}/${String(generation).padStart(2, '0')}` })
}

function newestOf(tasks: readonly TaskRow[], fact: Fact): { newest: TaskRow | undefined; generation: number } {
  const byNo = new Map(tasks.map((task) => [task.taskNo, task]))
  let newest: TaskRow | undefined
  for (let generation = 1; ; generation++) {
    const found = byNo.get(taskNoOf('REVIEW', factNo(fact, generation)))
    if (found === undefined) return { newest, generation: Math.max(1, generation - 1) }
    newest = found
  }
}

function openTicket(fact: Fact, generation: number, context: TaskContext): Raised {
  const { pk, orderNo, channel, reason, message, evidence, details, gone } = fact
  const bizNo = factNo(fact, generation)
  const requestSnapshot = { ...details, evidence, gone }
  const ticket = { pk, bizNo, orderNo, channel, source: 'CALLBACK', reason, requestSnapshot } as const
  return {
    taskNo: taskNoOf('REVIEW', bizNo),
    writes: putTicket({ ...ticket, ...(message !== undefined && { message }) }, context),
    isNew: true,
  }
}

function append(ticket: TaskRow, fact: Pick<Fact, 'evidence' | 'details' | 'gone'>): Write {
  return update(ticket, { set: appended(ticket, fact) }, revIs(ticket.rev))
}

function appended(ticket: TaskRow, { evidence, details, gone }: Pick<Fact, 'evidence' | 'details' | 'gone'>) {
  const before = ticket.evidence ?? []
  const isFull = before.length >= MAX_EVIDENCE
  return {
    ...(isFull ? { evidenceMore: (ticket.evidenceMore ?? 0) + 1 } : { evidence: [...before, evidence] }),
    requestSnapshot: { ...ticket.requestSnapshot, ...details, ...(gone !== undefined && { gone }) },
  }
}
