import { expect, it } from 'vitest'
import { sure } from '../support/core-builders.ts'
import {
  fileOf,
  forceOrder,
  freshOrderNo,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { minutesAfter, openWorld } from '../support/world.ts'
import { aCallback, START } from '../support/world-bank.ts'

it('a failure told before its order exists, and the very same notice an hour later, leave the order that another try paid', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const failure = aCallback({ order_no: `${orderNo}_1` }, { type: 'failed' })
  await world.take(failure)
  await putOrder(world, { orderNo, closeAfterMs: 2 * 3_600_000 })
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_1` })
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  await world.take(aCallback(paid(`${orderNo}_2`)))
  const before = await fileOf(world, orderNo)
  world.clock.set(minutesAfter(START, 60))

  await world.take(failure)

  const after = await fileOf(world, orderNo)
  expect(before.order?.status).toBe('PAID')
  // All that the order says of it is that one try less is open.
  const counted = { openTries: 0, rev: sure(before.order).rev + 1, updatedAt: world.clock.now() }
  const order = { ...before.order, ...counted }
  expect({ ...after, payAttempts: [], callbacks: [] }).toEqual({ ...before, order, payAttempts: [], callbacks: [] })
  expect(after.payAttempts.map(({ outTradeNo, state }) => [outTradeNo, state])).toEqual([
    [`${orderNo}_1`, 'FAILED'],
    [`${orderNo}_2`, 'PAID'],
  ])
})

it('a failure under the order’s own number, told before the order exists, does not stop the payment of that number', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const failure = aCallback({ order_no: orderNo }, { type: 'failed' })
  await world.take(failure)
  await putPayingOrder(world, { orderNo })

  await world.take(aCallback(paid(orderNo)))
  await world.take(failure)

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.payAttempts).toMatchObject([{ state: 'PAID' }])
  expect(tasksOf(file, 'DELIVER')).toHaveLength(1)
})

it.each(['DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'] as const)(
  'the first success told by a new notice to a %s order is "done already": nothing moves',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    await forceOrder(world, orderNo, { status })
    const before = await fileOf(world, orderNo)

    await world.take(aCallback(data, { eventId: `again-${orderNo}` }))

    const after = await fileOf(world, orderNo)
    expect({ ...after, callbacks: [] }).toEqual({ ...before, callbacks: [] })
    expect(after.callbacks.find(({ sk }) => sk.includes(`again-${orderNo}`))?.verdict).toBe('duplicate')
  },
)

it('late money told again to its CLOSED order goes back once, and the order stays closed', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world, { closeAfterMs: 60_000 })
  world.clock.advance(60_000)
  await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
  const data = paid(orderNo)
  const first = aCallback(data)
  await world.take(first)
  const before = await fileOf(world, orderNo)

  await world.take(first)
  await world.take(aCallback(data, { eventId: `again-${orderNo}` }))

  const after = await fileOf(world, orderNo)
  expect(before.order?.status).toBe('CLOSED')
  expect(before.refunds).toHaveLength(1)
  expect({ ...after, callbacks: [] }).toEqual({ ...before, callbacks: [] })
  expect(after.callbacks.map(({ verdict }) => verdict).toSorted()).toEqual(['duplicate', 'late'])
})
