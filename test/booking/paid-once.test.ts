import { expect, it } from 'vitest'
import {
  fileOf,
  forceOrder,
  movesOf,
  paid,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it('a payment of the right money makes its order PAID, sells its lines and asks for the delivery', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world, { lines: 2 })
  const data = paid(orderNo)

  await world.take(aCallback(data))

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID', settlement: 'PENDING' })
  expect(file.order).not.toHaveProperty('dueAt')
  expect(file.payments).toMatchObject([
    { role: 'APPLIED', channelTxnId: data.txn, paid: 8800, reserved: 0, paidAt: '2026-03-01T07:59:58.000Z' },
  ])
  expect(file.payAttempts).toMatchObject([{ state: 'PAID' }])
  expect(file.lines.map(({ state }) => state)).toEqual(['SOLD', 'SOLD'])
  expect(
    tasksOf(file, 'DELIVER')
      .map(({ bizNo }) => bizNo)
      .toSorted(),
  ).toEqual([`${orderNo}/1`, `${orderNo}/2`])
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAYING', 'PAYING>PAID'])
  expect(verdictsOf(file)).toEqual(['applied'])
})

it('the same callback twice is one payment, one journal row and one delivery; the second is counted', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))

  await world.take(callback)
  await world.take(callback)

  const file = await fileOf(world, orderNo)
  expect(file.payments).toHaveLength(1)
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAYING', 'PAYING>PAID'])
  expect(file.callbacks).toMatchObject([{ seen: 2, verdict: 'applied' }])
  taskOf(file, 'DELIVER')
})

it('ten copies of one callback at once are one payment, and its first verdict stays', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))

  await Promise.all(Array.from({ length: 10 }, () => world.take(callback)))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toHaveLength(1)
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAYING', 'PAYING>PAID'])
  expect(file.callbacks).toMatchObject([{ seen: 10, verdict: 'applied' }])
  expect(tasksOf(file, 'DELIVER')).toHaveLength(1)
  expect(tasksOf(file, 'SETTLE_CALLBACK')).toHaveLength(0)
})

it('one event told with another notify time, other key order and a new field is the same payment', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  const reordered = Object.fromEntries(Object.entries(data).toReversed())

  await world.take(aCallback(data, { eventId: 'evt-c053' }))
  await world.take(aCallback(data, { eventId: 'evt-c053', extra: { notify_time: 'later' } }))
  await world.take(aCallback(reordered, { eventId: 'evt-c053' }))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toHaveLength(1)
  expect(verdictsOf(file).toSorted()).toEqual(['applied', 'duplicate', 'duplicate'])
  expect(tasksOf(file, 'REVIEW')).toHaveLength(0)
})

it.each(['DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'] as const)(
  'the first payment told again to a %s order moves nothing',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    await forceOrder(world, orderNo, { status })
    const before = await fileOf(world, orderNo)

    for (let time = 0; time < 5; time++) await world.take(aCallback(data))

    const after = await fileOf(world, orderNo)
    expect(after.order).toEqual(before.order)
    expect(after.payments).toEqual(before.payments)
    expect(after.journal).toEqual(before.journal)
    expect(after.tasks).toEqual(before.tasks)
  },
)
