import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type OrderNo, parseSku, type Sku } from '../../modules/core/ids.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { readStock } from '../../modules/ledger/stock/read-stock.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { LineRow, StockRow, TaskRow } from '../../modules/ledger/table/rows.ts'
import type { ApiAnswer, OrdersApi } from '../orders/orders-api.ts'
import { sure } from './core-builders.ts'
import { withFaults } from './faults.ts'
import { paid } from './ledger-builders.ts'
import type { World } from './world.ts'
import { aCallback } from './world-bank.ts'

/** A sku that no other test has. */
export const aFreshSku = (): Sku => sure(parseSku(`SKU-${randomBytes(6).toString('hex')}`))

export const putStock = (
  api: OrdersApi,
  sku: Sku,
  body: object,
  headers?: Record<string, string>,
): Promise<ApiAnswer> =>
  api.send('PUT /stock/{sku}', { path: { sku }, body, ...(headers !== undefined && { headers }) })

export const getStock = (api: OrdersApi, sku: Sku): Promise<ApiAnswer> =>
  api.send('GET /stock/{sku}', { path: { sku } })

export const addCodes = (api: OrdersApi, sku: Sku, codes: readonly unknown[]): Promise<ApiAnswer> =>
  api.send('POST /stock/{sku}/codes', { path: { sku }, body: { codes } })

export const getCodes = (api: OrdersApi, orderNo: string): Promise<ApiAnswer> =>
  api.send('GET /orders/{orderNo}/codes', { path: { orderNo } })

const totals = z.object({ onHand: z.int(), available: z.int(), reserved: z.int(), sold: z.int() })

/** onHand, available, reserved, sold of a sku, as the API tells them. */
export async function totalsOf(api: OrdersApi, sku: Sku): Promise<z.output<typeof totals>> {
  return totals.parse((await getStock(api, sku)).body)
}

export async function bucketsOf({ ledger }: Pick<World, 'ledger'>, sku: Sku): Promise<readonly StockRow[]> {
  return (await readStock(ledger, sku))?.buckets ?? []
}

export const aLine = (sku: Sku, quantity = 1) => ({ sku, quantity })

/** Has the bank say that an order of 88.00 was paid. */
export const payOrder = (world: World, orderNo: OrderNo): Promise<void> => world.take(aCallback(paid(orderNo)))

export async function linesOf({ ledger }: Pick<World, 'ledger'>, orderNo: OrderNo): Promise<readonly LineRow[]> {
  return (await readOrderFile(ledger, orderNo)).lines
}

export async function deliveriesOf({ ledger }: Pick<World, 'ledger'>, orderNo: OrderNo): Promise<readonly TaskRow[]> {
  return (await readOrderFile(ledger, orderNo)).tasks.filter(({ bizType }) => bizType === 'DELIVER')
}

export const codesNamed = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`)

/** Codes of a plain-text answer. */
export function textsOf(answer: ApiAnswer): readonly string[] {
  const body = z.object({ lines: z.array(z.object({ codes: z.array(z.string()) })) }).parse(answer.body)
  return body.lines.flatMap(({ codes }) => codes)
}

/** The same ledger, whose first transaction is written but never answered: as a process that dies at that moment leaves it. */
export function losingFirstAnswer(ledger: Ledger): Ledger {
  let isLost = false
  return withFaults(ledger, async ({ command, proceed, fail }) => {
    if (command !== 'TransactWriteItemsCommand' || isLost) return
    isLost = true
    await proceed()
    fail('unavailable')
  })
}
