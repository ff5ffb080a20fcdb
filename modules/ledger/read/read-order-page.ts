import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { OrderNo } from '../../core/ids.ts'
import { checkedQuery } from '../table/checked-query.ts'
import type { Ledger } from '../table/client.ts'
import { attemptSk, BOUND_CODE, orderKey, orderPk } from '../table/keys.ts'
import { type AttemptRow, isKnown, type OrderRow, type Row, readRow, type TaskRow } from '../table/rows.ts'
import { readRows } from './queries.ts'

/** A part of an order's file. The order is in each part; attempts come with their task. */
export interface OrderPage {
  readonly order?: OrderRow
  readonly rows: readonly Row[]
  readonly attempts: readonly AttemptRow[]
  /** Sort key that the next part starts after; absent in the last. */
  readonly next?: string
}

/** Sorts after every attempt row (`AT#…`) and before every other row. */
const AFTER_ATTEMPTS = 'AT$'
/** Sorts after every bound code (`CODE#…`) and before every row that follows them. */
const AFTER_CODES = 'CODE$'
/** Keys of one BatchGetItem. */
const BATCH_LIMIT = 100

/**
 * One page of an order's collection in the order of sort keys, read consistently.
 * @param after sort key that an earlier page gave as `next`
 * @param limit rows of the page, attempts not counted
 * @throws CorruptRowError
 */
export async function readOrderPage(
  ledger: Ledger,
  orderNo: OrderNo,
  { after = AFTER_ATTEMPTS, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<OrderPage> {
  const answer = await ledger.client.send(
    new QueryCommand(
      checkedQuery({
        TableName: ledger.table,
        KeyConditionExpression: 'pk = :pk AND sk > :after',
        ExpressionAttributeValues: { ':pk': orderPk(orderNo), ':after': after },
        ConsistentRead: true,
        Limit: limit,
      }),
    ),
  )
  const rows = (answer.Items ?? []).filter(isKnown).map(readRow)
  const [order] = await readRows(ledger, [orderKey(orderNo)])
  const attempts = await readAttempts(
    ledger,
    rows.filter((row) => row.et === 'TASK'),
  )
  const next: unknown = answer.LastEvaluatedKey?.['sk']
  return {
    rows,
    attempts,
    ...(order?.et === 'ORDER' && { order }),
    // Codes are shown by a route of their own: up to 800 of an order would fill pages with nothing.
    ...(typeof next === 'string' && { next: next.startsWith(BOUND_CODE) ? AFTER_CODES : next }),
  }
}

/** Attempts are numbered without gaps, so their keys are known from the task. */
export async function readAttempts(ledger: Ledger, tasks: readonly TaskRow[]): Promise<readonly AttemptRow[]> {
  const keys = tasks.flatMap(({ pk, taskNo, attempts }) =>
    Array.from({ length: attempts }, (_, index) => ({ pk, sk: attemptSk(taskNo, index + 1) })),
  )
  const found: AttemptRow[] = []
  for (let start = 0; start < keys.length; start += BATCH_LIMIT) {
    const rows = await readRows(ledger, keys.slice(start, start + BATCH_LIMIT))
    found.push(...rows.filter((row): row is AttemptRow => row?.et === 'ATTEMPT'))
  }
  return found
}
