import { afterEach, expect, it } from 'vitest'
import { closeOrderWrites } from '../../modules/ledger/order/close-order-writes.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { restockLine } from '../../modules/ledger/stock/restock-line.ts'
import { type Commit, commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { aFreshOrderNo, anOrderBody, openOrdersApi } from '../orders/orders-api.ts'
import { sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, orderOf, tasksOf } from '../support/ledger-builders.ts'
import { aFreshSku, aLine, linesOf, payOrder, putStock, totalsOf } from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { minutesAfter, openWorld, type World } from '../support/world.ts'

const { ledger } = await openTestLedger()
const person = { operatorType: 'PERSON', operator: 'mia', reason: 'CUSTOMER', evidence: 'ORDER' } as const

afterEach(async () => {
  expect(await findStockFaults(ledger)).toEqual([])
})

/** Ten units on hand, and an order of some of them. */
async function anOrderOf(qty: number) {
  const api = openOrdersApi(ledger)
  const world = await openWorld()
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 10, buckets: 2 })
  await api.put(orderNo, anOrderBody({ lines: [aLine(sku, qty)] }))
  return { api, world, sku, orderNo }
}

const cancelAsSeen = (world: World, { order, lines }: OrderFile): Promise<Commit> =>
  commit(
    ledger,
    closeOrderWrites({ order: sure(order), lines: lines }, person, rowExists, { ...world, now: world.clock.now() }),
    world.clock.now(),
  )

/** Everything that may want goods back; the person decides by what he saw when the order was open. */
const askers = {
  restock: async (world: World, { order }: OrderFile) => {
    const restock = restockLine(sure((await linesOf(world, sure(order).orderNo))[0]))
    if (restock.kind === 'writes') await commit(ledger, restock.writes, world.clock.now())
  },
  cancel: cancelAsSeen,
  timer: async (world: World, { order }: OrderFile) => {
    world.clock.set(minutesAfter(world.clock.now(), 16))
    for (const task of tasksOf(await fileOf(world, sure(order).orderNo), 'CLOSE_ORDER')) await world.run(task)
  },
}

const orders = [
  ['restock', 'cancel', 'timer'],
  ['restock', 'timer', 'cancel'],
  ['cancel', 'restock', 'timer'],
  ['cancel', 'timer', 'restock'],
  ['timer', 'restock', 'cancel'],
  ['timer', 'cancel', 'restock'],
] as const

it.each(orders)('two units that were sold come back once, asked for by %s, %s and %s', async (...names) => {
  const { api, world, sku, orderNo } = await anOrderOf(2)
  const seen = await fileOf(world, orderNo)
  await payOrder(world, orderNo)

  for (const name of [...names, ...names]) await askers[name](world, seen)

  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
  expect((await linesOf(world, orderNo)).map(({ state }) => state)).toEqual(['RESTOCKED'])
  expect((await orderOf(world, orderNo)).status).toBe('PAID')
})

it.each(orders)('two units that were reserved come back once, asked for by %s, %s and %s', async (...names) => {
  const { api, world, sku, orderNo } = await anOrderOf(2)
  const seen = await fileOf(world, orderNo)

  for (const name of [...names, ...names]) await askers[name](world, seen)
  await payOrder(world, orderNo)

  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
  expect((await linesOf(world, orderNo)).map(({ state }) => state)).toEqual(['RELEASED'])
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('of two closes that saw the same open order one gives its five units back and the other learns that it was too late', async () => {
  const { api, world, sku, orderNo } = await anOrderOf(5)
  const seen = await fileOf(world, orderNo)

  const both = await Promise.all([cancelAsSeen(world, seen), cancelAsSeen(world, seen)])

  const lost = both.find(({ kind }) => kind === 'lost')
  expect(both.map(({ kind }) => kind).toSorted()).toEqual(['done', 'lost'])
  expect(lost?.kind === 'lost' && lost.losses.map(({ found }) => found?.['status'] ?? found?.['state'])).toContain(
    'CLOSED',
  )
  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
  expect((await linesOf(world, orderNo)).map(({ state }) => state)).toEqual(['RELEASED'])
})
