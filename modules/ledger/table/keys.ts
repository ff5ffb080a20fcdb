import { createHash } from 'node:crypto'
import type { ChannelId, ChannelTxnId, OrderNo, OutTradeNo, RefundNo, Sku, TaskNo } from '../../core/ids.ts'
import type { TaskStatus } from '../../core/task.ts'

/** Primary key of a row. Every shape of docs/design/keys-and-rows.md is made here and nowhere else. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

export const orderPk = (orderNo: OrderNo): string => `ORDER#${orderNo}`
/** What names no order lives here until a person links it. */
export const orphanPk = (channel: ChannelId, id: string): string => `ORPHAN#${channel}#${id}`

export const orderKey = (orderNo: OrderNo): Key => ({ pk: orderPk(orderNo), sk: 'ORDER' })

/** The order row of a collection, if it is an order's collection. */
export const orderRowKeyOf = (pk: string): Key | undefined =>
  pk.startsWith('ORDER#') ? { pk, sk: 'ORDER' } : undefined

/** The order of a collection as its key tells it, for log lines; `undefined` for an orphan's collection. */
export const orderNoIn = (pk: string): string | undefined =>
  pk.startsWith('ORDER#') ? pk.slice('ORDER#'.length) : undefined

export const lineSk = (line: number): string => `LINE#${pad(line, 2)}`
export const payAttemptSk = (channel: ChannelId, outTradeNo: OutTradeNo): string => `PA#${channel}#${outTradeNo}`
export const paymentSk = (channel: ChannelId, txn: ChannelTxnId): string => `PAY#${channel}#${txn}`
export const refundSk = (refundNo: RefundNo): string => `REFUND#${refundNo}`
export const journalSk = (orderRev: number): string => `J#${pad(orderRev, 6)}`
export const callbackSk = (channel: ChannelId, eventId: string, bodyHash: string): string =>
  `CB#${channel}#${eventId}#${bodyHash.slice(0, 8)}`
export const taskSk = (taskNo: TaskNo): string => `TASK#${taskNo}`
export const attemptSk = (taskNo: TaskNo, no: number): string => `AT#${taskNo}#${pad(no, 4)}`

/** Stands in an order's collection once money came for it before it did; each such payment raises its revision. */
export const ORPHANS_SK = 'ORPHANS'

export const transactionGuard = (channel: ChannelId, txn: ChannelTxnId): Key => guard(`TXN#${channel}#${txn}`)
export const outTradeNoGuard = (channel: ChannelId, outTradeNo: OutTradeNo): Key =>
  guard(`OUT#${channel}#${outTradeNo}`)
export const refundGuard = (refundNo: RefundNo): Key => guard(`RFN#${refundNo}`)

function guard(pk: string): Key {
  return { pk, sk: 'GUARD' }
}

export const stockPk = (sku: Sku): string => `STOCK#${sku}`
export const bucketSk = (bucket: number): string => `B#${pad(bucket, 2)}`
/** A sku's settings, beside its buckets. */
export const skuKey = (sku: Sku): Key => ({ pk: stockPk(sku), sk: 'SKU' })

export const codePk = (sku: Sku): string => `CODE#${sku}`
export const FREE_CODE = 'FREE#'
export const freeCodeKey = (sku: Sku, codeId: string): Key => ({ pk: codePk(sku), sk: `${FREE_CODE}${codeId}` })
/** Marks a code that was bound, so that the same code is never taken in again. */
export const usedCodeKey = (sku: Sku, codeId: string): Key => ({ pk: codePk(sku), sk: `USED#${codeId}` })
export const BOUND_CODE = 'CODE#'
export const boundCodeKey = (pk: string, codeId: string): Key => ({ pk, sk: `${BOUND_CODE}${codeId}` })

/** Shards of the `due` index; a sweep reads all of them. Source: docs/design/keys-and-rows.md, Index due */
export const DUE_SHARDS = 16
/** Shards per status and lane of the `find` index. */
export const FIND_SHARDS = 4

export const dueShard = (shard: number): string => `D#${pad(shard, 2)}`

/** Index attributes of a row that the sweep shall find at `dueAt`. */
export function duePkOf(pk: string): string {
  return dueShard(shardOf(pk, DUE_SHARDS))
}

/**
 * Index attributes of a task that is looked for by its state (RETRY, MANUAL, a notice that was given up, a held type):
 * `T#status#lane#shard`, ordered by creation.
 */
export function findKeysOf(task: {
  readonly status: TaskStatus
  readonly lane: string
  readonly taskNo: TaskNo
  readonly createdAt: string
}): { readonly findPk: string; readonly findSk: string } {
  return {
    findPk: findShard(task.status, task.lane, shardOf(task.taskNo, FIND_SHARDS)),
    findSk: `${task.createdAt}#${task.taskNo}`,
  }
}

export const findShard = (status: TaskStatus, lane: string, shard: number): string => `T#${status}#${lane}#${shard}`

/** A stable number below `count` for a key, spread evenly. */
export function shardOf(text: string, count: number): number {
  return createHash('sha256').update(text).digest().readUInt16BE(0) % count
}
