import { expect, it } from 'vitest'
import { runTask } from '../../functions/work/run-task.ts'
import { EXPIRY_GRACE_MS } from '../../modules/channels/client.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { openOrdersApi } from '../orders/orders-api.ts'
import {
  fileOf,
  forceOrder,
  movesOf,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
} from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function runAtItsTime(world: World, orderNo: Parameters<typeof fileOf>[1]): Promise<void> {
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(task.nextExecuteAt)
  await world.run(task)
}

it('an order without an attempt closes at its time and gives its lines back, once', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world, { lines: 2 })
  await runAtItsTime(world, orderNo)
  const closed = await fileOf(world, orderNo)

  await world.run(taskOf(closed, 'CLOSE_ORDER'))

  const file = await fileOf(world, orderNo)
  expect(closed.order).toMatchObject({ status: 'CLOSED' })
  expect(closed.order).not.toHaveProperty('activeTask')
  expect(closed.lines.map(({ state }) => state)).toEqual(['RELEASED', 'RELEASED'])
  expect(movesOf(closed)).toEqual(['>WAIT_PAY', 'WAIT_PAY>CLOSED'])
  expect(taskOf(closed, 'CLOSE_ORDER').status).toBe('SUCCESS')
  expect(file).toEqual(closed)
})

it('an open attempt is waited out: its own expiry and the grace, without using a retry', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const expiresAt = plusMs(world.clock.now(), 20 * 60_000)
  await startAttempt(world, orderNo, { expiresAt })
  await runAtItsTime(world, orderNo)
  const parked = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')

  await runAtItsTime(world, orderNo)

  expect(parked).toMatchObject({
    status: 'WAITING',
    retryCount: 0,
    attempts: 0,
    lastErrorCode: 'PAY_ATTEMPT_NOT_EXPIRED',
  })
  expect(Date.parse(parked.nextExecuteAt)).toBeGreaterThanOrEqual(Date.parse(plusMs(expiresAt, EXPIRY_GRACE_MS)))
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('a FAILED attempt is not waited for', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await startAttempt(world, orderNo, { expiresAt: plusMs(world.clock.now(), 3_600_000) })
  await world.take(aCallback({ order_no: orderNo }, { type: 'failed' }))

  await runAtItsTime(world, orderNo)

  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it.each(['PAID', 'DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED', 'CLOSED'] as const)(
  'the task of a %s order ends without an attempt',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putOrder(world)
    await forceOrder(world, orderNo, { status })

    await runAtItsTime(world, orderNo)

    const file = await fileOf(world, orderNo)
    expect(file.order?.status).toBe(status)
    expect(file.attempts).toHaveLength(0)
    expect(taskOf(file, 'CLOSE_ORDER')).toMatchObject({
      status: 'SUCCESS',
      resultSnapshot: { endedBecause: `ORDER_${status}` },
    })
  },
)

it('a frozen order is not closed', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))

  await runAtItsTime(world, orderNo)
  await runAtItsTime(world, orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAYING')
  expect(taskOf(file, 'CLOSE_ORDER')).toMatchObject({ status: 'WAITING', lastErrorCode: 'ORDER_FROZEN' })
})

it('of a payment and the close in the same moment the payment wins or is LATE; never both', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const world = await openWorld()
    const orderNo = await putOrder(world)
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')

    await Promise.all([world.run(task), world.take(aCallback(paid(orderNo)))])

    const file = await fileOf(world, orderNo)
    outcomes.add(`${file.order?.status} ${file.payments[0]?.role} ${file.lines[0]?.state}`)
    expect(['PAID APPLIED SOLD', 'CLOSED LATE RELEASED']).toContain(
      `${file.order?.status} ${file.payments[0]?.role} ${file.lines[0]?.state}`,
    )
  }
  expect(outcomes.size).toBeGreaterThan(0)
})

it('a payment that lands between the claim and the close keeps the order, and the task ends by itself', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  const handler = world.workDeps.handlers.CLOSE_ORDER
  if (handler === undefined) throw new Error('no handler')
  const slow = {
    ...handler,
    call: async (view: Parameters<typeof handler.call>[0]) => {
      await world.take(aCallback(paid(orderNo)))
      return handler.call(view)
    },
  }
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')

  await runTask({ ...world.workDeps, handlers: { CLOSE_ORDER: slow } }, messageFor(task, task.nextExecuteAt), 'worker')
  const first = await fileOf(world, orderNo)
  await runAtItsTime(world, orderNo)

  expect(first.order?.status).toBe('PAID')
  expect(first.order).not.toHaveProperty('activeTask')
  expect(taskOf(first, 'CLOSE_ORDER')).toMatchObject({ status: 'RETRY', lastErrorCode: 'ORDER_CHANGED' })
  const last = await fileOf(world, orderNo)
  expect(taskOf(last, 'CLOSE_ORDER').status).toBe('SUCCESS')
  expect(last.lines.map(({ state }) => state)).toEqual(['SOLD'])
})

it.each([
  ['a buyer who gave up', 5, { operatorType: 'MERCHANT', operator: 'shop', reason: 'CLOSED_ON_REQUEST' }],
  ['its own time', 15, { operatorType: 'POLICY', operator: 'CLOSE_ORDER', reason: 'NOT_PAID_IN_TIME' }],
])('the journal says whether an order was closed for %s', async (_why, minutes, entry) => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const api = openOrdersApi(world.ledger)
  world.clock.advance(minutes * 60_000)
  api.clock.now = world.clock.now()
  await api.send('POST /orders/{orderNo}/close', { path: { orderNo } })

  await runAtItsTime(world, orderNo)

  const { order, journal } = await fileOf(world, orderNo)
  expect(order?.status).toBe('CLOSED')
  expect(journal.at(-1)).toMatchObject(entry)
})
