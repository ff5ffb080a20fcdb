import { afterEach, expect, it } from 'vitest'
import type { OrderNo } from '../../modules/core/ids.ts'
import { closeOrderWrites } from '../../modules/ledger/order/close-order-writes.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { restockLine } from '../../modules/ledger/stock/restock-line.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { aFreshOrderNo, anOrderBody, openOrdersApi } from '../orders/orders-api.ts'
import { sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, orderOf, paid, taskOf, tasksOf } from '../support/ledger-builders.ts'
import {
  aFreshSku,
  aLine,
  linesOf,
  losingFirstAnswer,
  payOrder,
  putStock,
  totalsOf,
} from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { minutesAfter, openWorld, type World, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const { ledger } = await openTestLedger()

afterEach(async () => {
  expect(await findStockFaults(ledger)).toEqual([])
})

/** Ten units on hand in three buckets, and an order of five. */
async function anOrderOfFive() {
  const api = openOrdersApi(ledger)
  const world = await openWorld()
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 10, buckets: 3 })
  await api.put(orderNo, anOrderBody({ lines: [aLine(sku, 5)] }))
  return { api, world, sku, orderNo }
}

const manualClose = { operatorType: 'PERSON', operator: 'mia', reason: 'CUSTOMER', evidence: 'ORDER' } as const

async function closeByHand(world: World, orderNo: OrderNo) {
  const file = await fileOf(world, orderNo)
  return commit(
    ledger,
    closeOrderWrites({ order: sure(file.order), lines: file.lines }, manualClose, rowExists, {
      ...world,
      now: world.clock.now(),
    }),
    world.clock.now(),
  )
}

async function runClose(world: World, orderNo: OrderNo) {
  world.clock.set(minutesAfter(world.clock.now(), 16))
  await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
}

it('what is reserved is sold with the payment, in the same buckets', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()

  await payOrder(world, orderNo)

  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 5, reserved: 0, sold: 5 })
  expect(await linesOf({ ledger }, orderNo)).toMatchObject([{ state: 'SOLD' }])
})

it('what is reserved is available again with the close', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()

  await runClose(world, orderNo)

  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
})

it('a payment that comes many times sells once', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()
  const data = paid(orderNo)

  await Promise.all(Array.from({ length: 5 }, () => world.take(aCallback(data))))
  await world.take(aCallback(data))

  expect(await totalsOf(api, sku)).toMatchObject({ available: 5, sold: 5 })
})

it('a second payment of the order is SURPLUS and sells nothing', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()
  await payOrder(world, orderNo)

  await payOrder(world, orderNo)

  expect((await fileOf(world, orderNo)).payments.map(({ role }) => role).sort()).toEqual(['APPLIED', 'SURPLUS'])
  expect(await totalsOf(api, sku)).toMatchObject({ available: 5, sold: 5 })
})

it('timer and person closing in the same second give back once', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()

  const [, byHand] = await Promise.all([runClose(world, orderNo), closeByHand(world, orderNo)])
  // The loser of the race looks again, as its next trigger makes it.
  world.clock.set(minutesAfter(world.clock.now(), 60))
  for (const task of tasksOf(await fileOf(world, orderNo), 'CLOSE_ORDER')) await world.run(task)

  expect(['done', 'lost']).toContain(byHand.kind)
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
})

it('a close that was decided before another one is refused as a whole', async () => {
  const { world, orderNo, api, sku } = await anOrderOfFive()
  const file = await fileOf(world, orderNo)
  const writes = closeOrderWrites({ order: sure(file.order), lines: file.lines }, manualClose, rowExists, {
    ...world,
    now: world.clock.now(),
  })
  await commit(ledger, writes, world.clock.now())

  const again = await commit(ledger, writes, world.clock.now())

  expect(again.kind).toBe('lost')
  expect((await totalsOf(api, sku)).available).toBe(10)
})

it.each([1, 2, 3, 4, 5])('payment and close in the same second move the stock one way, try %i', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()

  await Promise.all([runClose(world, orderNo), payOrder(world, orderNo)])
  await payOrder(world, orderNo)

  const { status } = await orderOf(world, orderNo)
  expect(await totalsOf(api, sku)).toEqual(
    status === 'CLOSED'
      ? { onHand: 10, available: 10, reserved: 0, sold: 0 }
      : { onHand: 10, available: 5, reserved: 0, sold: 5 },
  )
  expect(['CLOSED', 'PAID']).toContain(status)
})

it('a payment whose commit was never answered sells once', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()
  const dying = worldOn(losingFirstAnswer(ledger), world.clock, world.merchant)
  const callback = aCallback(paid(orderNo))

  await expect(dying.take(callback)).rejects.toThrow()
  await world.take(callback)

  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 5, reserved: 0, sold: 5 })
})

it('an order whose creation was never answered reserves once', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 3, buckets: 1 })
  const body = anOrderBody({ lines: [aLine(sku, 2)] })

  const lost = await openOrdersApi(losingFirstAnswer(ledger)).put(orderNo, body)
  const again = await api.put(orderNo, body)

  expect([lost.status, again.status]).toEqual([503, 200])
  expect(await totalsOf(api, sku)).toEqual({ onHand: 3, available: 1, reserved: 2, sold: 0 })
})

it('lines of one sku that share a bucket are sold and released in one write of it', async () => {
  const api = openOrdersApi(ledger)
  const world = await openWorld()
  const sku = aFreshSku()
  const [sold, closed] = [aFreshOrderNo(), aFreshOrderNo()]
  await putStock(api, sku, { onHand: 10, buckets: 1 })
  for (const orderNo of [sold, closed]) await api.put(orderNo, anOrderBody({ lines: [aLine(sku, 2), aLine(sku, 3)] }))

  await payOrder(world, sold)
  await runClose(world, closed)

  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 5, reserved: 0, sold: 5 })
})

it('sold goods come back once, whatever asks for it', async () => {
  const { api, world, sku, orderNo } = await anOrderOfFive()
  await payOrder(world, orderNo)
  const line = sure((await linesOf({ ledger }, orderNo))[0])
  const restock = restockLine(line)
  const writes = restock.kind === 'writes' ? restock.writes : []

  const both = await Promise.all([commit(ledger, writes, world.clock.now()), commit(ledger, writes, world.clock.now())])

  expect(both.map(({ kind }) => kind).sort()).toEqual(['done', 'lost'])
  expect(await totalsOf(api, sku)).toEqual({ onHand: 10, available: 10, reserved: 0, sold: 0 })
  const [now] = await linesOf({ ledger }, orderNo)
  expect(restockLine(sure(now))).toEqual({ kind: 'refused', reason: 'NOT_SOLD' })
})

it('what was never sold, or was released, does not come back', async () => {
  const { world, orderNo } = await anOrderOfFive()
  const [reserved] = await linesOf({ ledger }, orderNo)
  await runClose(world, orderNo)
  const [released] = await linesOf({ ledger }, orderNo)

  expect(restockLine(sure(reserved))).toEqual({ kind: 'refused', reason: 'NOT_SOLD' })
  expect(restockLine(sure(released))).toEqual({ kind: 'refused', reason: 'NOT_SOLD' })
})

it('goods that were taken back are not delivered any more', async () => {
  const { world, orderNo } = await anOrderOfFive()
  await payOrder(world, orderNo)
  const restock = restockLine(sure((await linesOf({ ledger }, orderNo))[0]))
  await commit(ledger, restock.kind === 'writes' ? restock.writes : [], world.clock.now())

  await world.run(taskOf(await readOrderFile(ledger, orderNo), 'DELIVER'))

  expect(world.merchant.received).toEqual([])
  expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({
    status: 'CLOSED',
    resultSnapshot: { endedBecause: 'LINE_RESTOCKED' },
  })
})
