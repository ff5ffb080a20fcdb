import { randomBytes, randomInt } from 'node:crypto'
import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { OrderNo, Sku } from '../../core/ids.ts'
import { readRows } from '../read/queries.ts'
import { checkedQuery } from '../table/checked-query.ts'
import type { Ledger } from '../table/client.ts'
import { BOUND_CODE, codePk, FREE_CODE, orderPk, skuKey, stockPk } from '../table/keys.ts'
import { type CodeRow, type Row, readRow, type SkuRow, type StockRow } from '../table/rows.ts'

/** A sku that is counted: its settings and its buckets in the order of their numbers. */
export interface SkuStock {
  readonly sku: SkuRow
  readonly buckets: readonly StockRow[]
}

/** One sku's settings and buckets, read consistently; `undefined` for a sku that is not counted. */
export async function readStock(ledger: Ledger, sku: Sku): Promise<SkuStock | undefined> {
  const rows = await queryAll(ledger, stockPk(sku), '')
  const settings = rows.find((row) => row.et === 'SKU')
  if (settings === undefined) return undefined
  return { sku: settings, buckets: rows.filter((row) => row.et === 'STOCK') }
}

/** The counted ones among some skus. Most merchants' orders name none, which one BatchGetItem finds out. */
export async function readStocks(ledger: Ledger, skus: readonly Sku[]): Promise<ReadonlyMap<Sku, SkuStock>> {
  const distinct = [...new Set(skus)]
  const settings = await readRows(ledger, distinct.map(skuKey))
  const counted = distinct.filter((_, index) => settings[index] !== undefined)
  const stocks = await Promise.all(counted.map((sku) => readStock(ledger, sku)))
  return new Map(stocks.flatMap((stock) => (stock === undefined ? [] : [[stock.sku.sku, stock]])))
}

/**
 * Up to `limit` free codes of a sku in random order, from a random place on and round the end, so that deliveries at the same
 * moment mostly pick different ones.
 */
export async function readFreeCodes(ledger: Ledger, sku: Sku, limit: number): Promise<readonly CodeRow[]> {
  const start = `${FREE_CODE}${randomBytes(6).toString('base64url')}`
  const query = async (condition: string, values: Readonly<Record<string, string>>, count: number) => {
    const answer = await ledger.client.send(
      new QueryCommand(
        checkedQuery({
          TableName: ledger.table,
          KeyConditionExpression: `pk = :pk AND ${condition}`,
          ExpressionAttributeValues: { ':pk': codePk(sku), ...values },
          ConsistentRead: true,
          Limit: count,
        }),
      ),
    )
    return (answer.Items ?? []).map(readRow).filter((row) => row.et === 'CODE')
  }
  const after = await query('sk BETWEEN :start AND :end', { ':start': start, ':end': `${FREE_CODE}~` }, limit)
  if (after.length === limit) return shuffle(after)
  const before = await query(
    'sk BETWEEN :first AND :start',
    { ':first': FREE_CODE, ':start': start },
    limit - after.length,
  )
  const known = new Set(after.map(({ codeId }) => codeId))
  return shuffle([...after, ...before.filter(({ codeId }) => !known.has(codeId))])
}

function shuffle<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: randomInt(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** The codes that were bound to an order's lines. */
export async function readBoundCodes(ledger: Ledger, orderNo: OrderNo): Promise<readonly CodeRow[]> {
  return (await queryAll(ledger, orderPk(orderNo), BOUND_CODE)).filter((row) => row.et === 'CODE')
}

async function queryAll(ledger: Ledger, pk: string, prefix: string): Promise<readonly Row[]> {
  const pages = paginateQuery(
    { client: ledger.client },
    checkedQuery({
      TableName: ledger.table,
      KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ...(prefix !== '' && { ':prefix': prefix }) },
      ConsistentRead: true,
    }),
  )
  const rows: Row[] = []
  for await (const page of pages) rows.push(...(page.Items ?? []).map(readRow))
  return rows
}
