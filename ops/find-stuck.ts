import { type Instant, instantOf, msOf } from '../modules/core/instant.ts'
import { listTasks } from '../modules/ledger/read/list-tasks.ts'
import { readRows } from '../modules/ledger/read/queries.ts'
import { dueShards, readDue } from '../modules/ledger/read/read-due.ts'
import type { Ledger } from '../modules/ledger/table/client.ts'
import type { TaskRow } from '../modules/ledger/table/rows.ts'
import type { RequeueOptions } from './arguments.ts'

/** Candidates of one page of the find index. */
const PAGE = 100
/** However far ahead a task was put off, it is found by its state. */
export const END_OF_TIME = instantOf(Date.parse('9999-12-31T23:59:59.999Z'))

/**
 * Tasks that a requeue is about, oldest first: of the status, the channel (or lane) and the type, made longer ago than asked. In
 * WAITING only what is overdue or was put off. RETRY and MANUAL come from the index `find`, WAITING from `due`; the base row decides.
 * @throws CorruptRowError, errors of the SDK
 */
export async function findStuck(ledger: Ledger, options: RequeueOptions, now: Instant): Promise<readonly TaskRow[]> {
  const found = options.status === 'WAITING' ? await readWaiting(ledger, now) : await readListed(ledger, options)
  return found
    .filter((task) => task.channel === options.channel || task.lane === options.channel)
    .filter((task) => options.type === undefined || task.bizType === options.type)
    .filter((task) => msOf(task.createdAt) <= msOf(now) - options.olderThanMs)
    .toSorted((a, b) => msOf(a.createdAt) - msOf(b.createdAt))
}

async function readListed(ledger: Ledger, { status, channel }: RequeueOptions): Promise<readonly TaskRow[]> {
  if (status === 'WAITING') return []
  // A channel's callbacks and settlements are worked on in our own lane.
  const lanes = [...new Set([channel, 'merchant', 'internal'])]
  const found: TaskRow[] = []
  let after: string | undefined
  do {
    const page = await listTasks(ledger, { status, lanes, after, limit: PAGE })
    found.push(...page.tasks)
    after = page.next
  } while (after !== undefined)
  return found
}

async function readWaiting(ledger: Ledger, now: Instant): Promise<readonly TaskRow[]> {
  const found: TaskRow[] = []
  for (const shard of dueShards) {
    for await (const { keys } of readDue(ledger, shard, END_OF_TIME)) {
      const rows = await readRows(
        ledger,
        keys.filter(({ sk }) => sk.startsWith('TASK#')),
      )
      found.push(...rows.filter((row) => row?.et === 'TASK').filter((task) => isPutOff(task, now)))
    }
  }
  return found
}

/** A gate, a frozen order or a lost worker leaves its word in `lastErrorCode`. */
function isPutOff(task: TaskRow, now: Instant): boolean {
  return task.status === 'WAITING' && (task.nextExecuteAt <= now || task.lastErrorCode !== undefined)
}
