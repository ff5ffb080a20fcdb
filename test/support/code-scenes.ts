import type { OrderNo, Sku } from '../../modules/core/ids.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { openOrdersApi } from '../orders/orders-api.ts'
import { fileOf, paid, taskOf } from './ledger-builders.ts'
import { addCodes, aLine, codesNamed, putStock } from './stock-builders.ts'
import { findStockFaults } from './stock-invariants.ts'
import type { World } from './world.ts'
import { aCallback } from './world-bank.ts'

/** How many codes the order below is owed. */
const QUANTITY = 2

/** A paid order of two codes, of a pool that has three. @returns the task that delivers them */
export async function putPaidCodeOrder(world: World, orderNo: OrderNo, sku: Sku, txn: string): Promise<TaskRow> {
  const api = openOrdersApi(world.ledger)
  await putStock(api, sku, { kind: 'card-code', buckets: 1 })
  await addCodes(api, sku, codesNamed('CODE', QUANTITY + 1))
  await api.put(orderNo, { amount: 8800, currency: 'CNY', lines: [aLine(sku, QUANTITY)] })
  await world.take(aCallback(paid(orderNo, { txn }), { eventId: `evt-${txn}` }))
  return taskOf(await fileOf(world, orderNo), 'DELIVER')
}

/** What is wrong with stock and codes anywhere in the ledger: codes bound twice, or others than were ordered. */
export const brokenCodes = ({ ledger }: World): Promise<readonly string[]> => findStockFaults(ledger)
