import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Instant } from '../../core/instant.ts'
import { checkedQuery } from '../table/checked-query.ts'
import type { Ledger } from '../table/client.ts'
import { DUE_SHARDS, dueShard, type Key } from '../table/keys.ts'

/** A candidate of the due index. The base row decides. */
export interface DueKey extends Key {
  readonly dueAt: string
}

/** Where reading a shard stopped. */
export type DuePlace = Readonly<Record<string, unknown>>

export interface DuePage {
  readonly keys: readonly DueKey[]
  /** Where the next page starts; `undefined` at the shard's end. */
  readonly next: DuePlace | undefined
}

/** Rows per page; a page is worked off before the next is read. */
export const PAGE = 100

/** All shards of the due index, in an order that the caller may work off in parallel. */
export const dueShards: readonly string[] = Array.from({ length: DUE_SHARDS }, (_, shard) => dueShard(shard))

/**
 * Pages of rows whose `dueAt` has come, oldest first, each shard to its end key; there is no upper age limit.
 * Keyset paging: rows that move while being worked off are neither skipped nor seen twice for ever.
 * @param from where an earlier reading stopped, else the shard's oldest row
 * Source: docs/design/keys-and-rows.md, Index due
 */
export async function* readDue(ledger: Ledger, shard: string, now: Instant, from?: DuePlace): AsyncGenerator<DuePage> {
  let startKey = from
  do {
    const page = await ledger.client.send(
      new QueryCommand(
        checkedQuery({
          TableName: ledger.table,
          IndexName: 'due',
          KeyConditionExpression: 'duePk = :shard AND dueAt <= :now',
          ExpressionAttributeValues: { ':shard': shard, ':now': now },
          Limit: PAGE,
          ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
        }),
      ),
    )
    startKey = page.LastEvaluatedKey
    const keys = (page.Items ?? []).map((item) => ({
      pk: String(item['pk']),
      sk: String(item['sk']),
      dueAt: String(item['dueAt']),
    }))
    yield { keys, next: startKey }
  } while (startKey !== undefined)
}
