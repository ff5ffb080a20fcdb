import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { parseInstant } from '../modules/core/instant.ts'
import { readRows } from '../modules/ledger/read/queries.ts'
import { dueShards, readDue } from '../modules/ledger/read/read-due.ts'
import type { Ledger } from '../modules/ledger/table/client.ts'
import type { Row } from '../modules/ledger/table/rows.ts'
import type { OpsDeps } from './deps.ts'
import type { Line } from './line.ts'

/** After everything that is planned. */
const LAST = parseInstant('9999-12-31T23:59:59.999Z')

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const

/**
 * Counts what a stack still has open, before somebody destroys it: messages of each queue, then orders, tasks and tickets of the
 * ledger. Changes nothing. What is open is `refused`.
 * @throws errors of the SDK, CorruptRowError
 */
export async function* lookBeforeTeardown({ ledger, sqs, outputs }: OpsDeps): AsyncGenerator<Line> {
  const queues = Object.entries(outputs).filter(([name]) => /^(Queue|DeadLetters)[A-Z]/.test(name))
  for (const [name, url] of queues) yield lineOf(name, await countAll(sqs, url), 'messages')
  const open = await countOpenRows(ledger)
  for (const [what, count] of open) yield lineOf(what, count, 'open')
  if (open.size === 0) yield lineOf('ledger', 0, 'open rows')
}

function lineOf(item: string, count: number, what: string): Line {
  return { result: count === 0 ? 'shown' : 'refused', action: 'teardown', item, detail: `${count} ${what}` }
}

/** Visible, in hand and delayed ones together: all of them go with the queue. */
async function countAll(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...COUNTS] }))
  return COUNTS.reduce((total, name) => total + Number(Attributes?.[name] ?? 0), 0)
}

/** Whatever waits for a time or a person is in the due index. */
async function countOpenRows(ledger: Ledger): Promise<ReadonlyMap<string, number>> {
  if (LAST === undefined) throw new TypeError('The last instant is none.')
  const counts = new Map<string, number>()
  for (const shard of dueShards) {
    for await (const { keys } of readDue(ledger, shard, LAST)) {
      for (const row of await readRows(ledger, keys)) {
        const kind = kindOf(row)
        if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
      }
    }
  }
  return new Map([...counts].toSorted(([a], [b]) => a.localeCompare(b)))
}

function kindOf(row: Row | undefined): string | undefined {
  switch (row?.et) {
    case 'TASK':
      return row.status === 'MANUAL' ? 'tickets' : `tasks ${row.bizType}`
    case 'ORDER':
      return `orders ${row.status}`
    case 'JOURNAL':
      return 'changes that the bus has not'
    default:
      return row === undefined ? undefined : `rows ${row.et}`
  }
}
