import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { parseOrderPart, parsePayAttemptNo, parseRefundPart } from '../../core/biz-no.ts'
import type { TaskNo } from '../../core/ids.ts'
import type { TaskType } from '../../core/task-policies.ts'
import { checkedQuery } from '../table/checked-query.ts'
import type { Ledger } from '../table/client.ts'
import { FIND_SHARDS, findShard, type Key, orderPk, outTradeNoGuard, refundGuard, taskSk } from '../table/keys.ts'
import type { TaskRow } from '../table/rows.ts'
import { readRows } from './queries.ts'

/** A page of a list; `next` is absent when nothing is behind it. */
export interface TaskPage {
  readonly tasks: readonly TaskRow[]
  /** `findSk` of the last candidate that was looked at. */
  readonly next?: string
}

/** Statuses that the index `find` holds; of the closed, only notices that were given up. */
export type ListedStatus = 'MANUAL' | 'RETRY' | 'CLOSED'

interface Candidate extends Key {
  readonly findSk: string
}

/**
 * Tasks of a status in some lanes, oldest first. The index finds candidates and the base row decides: one whose status has
 * moved is left out, so that a page may be short. Paging goes by `createdAt#taskNo`, which never changes: rows that come and
 * go meanwhile shift no other.
 * @param after `next` of the page before
 * @param limit at most 100, candidates of one page
 * @throws CorruptRowError
 * Source: docs/design/keys-and-rows.md, Index find
 */
export async function listTasks(
  ledger: Ledger,
  asked: {
    readonly status: ListedStatus
    readonly lanes: readonly string[]
    readonly after?: string | undefined
    readonly limit: number
  },
): Promise<TaskPage> {
  const shards = asked.lanes.flatMap((lane) =>
    Array.from({ length: FIND_SHARDS }, (_, shard) => findShard(asked.status, lane, shard)),
  )
  const read = await Promise.all(shards.map((shard) => readShard(ledger, shard, asked.after, asked.limit)))
  const ends = read.flatMap(({ end }) => end ?? [])
  // What a shard has not been read for may be older than a candidate of another: up to there and no further.
  const horizon = ends.toSorted()[0]
  const merged = read
    .flatMap(({ candidates }) => candidates)
    .filter(({ findSk }) => horizon === undefined || findSk <= horizon)
    .toSorted((a, b) => (a.findSk < b.findSk ? -1 : 1))
  const page = merged.slice(0, asked.limit)
  const last = page.at(-1)
  const rows = await readRows(ledger, page)
  return {
    tasks: rows.filter((row) => row?.et === 'TASK').filter(({ status }) => status === asked.status),
    ...(last !== undefined && (ends.length > 0 || merged.length > page.length) && { next: last.findSk }),
  }
}

async function readShard(ledger: Ledger, shard: string, after: string | undefined, limit: number) {
  const answer = await ledger.client.send(
    new QueryCommand(
      checkedQuery({
        TableName: ledger.table,
        IndexName: 'find',
        KeyConditionExpression: after === undefined ? 'findPk = :shard' : 'findPk = :shard AND findSk > :after',
        ExpressionAttributeValues: { ':shard': shard, ...(after !== undefined && { ':after': after }) },
        Limit: limit,
      }),
    ),
  )
  const candidates = (answer.Items ?? []).map(
    (item): Candidate => ({ pk: String(item['pk']), sk: String(item['sk']), findSk: String(item['findSk']) }),
  )
  return { candidates, end: answer.LastEvaluatedKey === undefined ? undefined : candidates.at(-1)?.findSk }
}

/** One task by its key, read consistently. */
export async function readTask(ledger: Ledger, pk: string, taskNo: TaskNo): Promise<TaskRow | undefined> {
  const [row] = await readRows(ledger, [{ pk, sk: taskSk(taskNo) }])
  return row?.et === 'TASK' ? row : undefined
}

/**
 * The collection that a business number leads to.
 * @returns `nowhere` when no such number is known, `needsOrder` for types whose number names no order
 * Source: docs/design/task-types.md
 */
export async function locateTask(
  ledger: Ledger,
  bizType: TaskType,
  bizNo: string,
): Promise<{ readonly pk: string } | 'nowhere' | 'needsOrder'> {
  switch (bizType) {
    case 'CLOSE_ORDER':
    case 'SETTLEMENT_WRITEBACK':
    case 'DELIVER':
    case 'RELEASE_STOCK':
    case 'NOTIFY': {
      const named = parseOrderPart(bizNo)
      return named === undefined ? 'nowhere' : { pk: orderPk(named.orderNo) }
    }
    case 'QUERY_PAYMENT':
    case 'CLOSE_ATTEMPT': {
      const named = parsePayAttemptNo(bizNo)
      if (named === undefined) return 'nowhere'
      return followGuard(ledger, outTradeNoGuard(named.channel, named.outTradeNo))
    }
    case 'REFUND':
    case 'QUERY_REFUND': {
      const named = parseRefundPart(bizNo)
      return named === undefined ? 'nowhere' : followGuard(ledger, refundGuard(named.refundNo))
    }
    case 'SETTLE_CALLBACK':
    case 'VERIFY_STATUS':
    case 'REVIEW':
    case 'START_EXECUTION':
    case 'RESUME_EXECUTION':
    case 'FETCH_BILL':
      return 'needsOrder'
  }
}

async function followGuard(ledger: Ledger, key: Key): Promise<{ readonly pk: string } | 'nowhere'> {
  const [guard] = await readRows(ledger, [key])
  return guard?.et === 'GUARD' ? { pk: guard.collection } : 'nowhere'
}
