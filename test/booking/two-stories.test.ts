import { expect, it } from 'vitest'
import { fileOf, paid, putPayingOrder, taskOf, tasksOf, verdictsOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it('one transaction told with other money is a conflict: a ticket with both stories, and a freeze', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))

  await world.take(aCallback({ ...data, amount: 8700 }))

  const file = await fileOf(world, orderNo)
  const ticket = taskOf(file, 'REVIEW')
  expect(file.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  expect(file.order).toMatchObject({ status: 'PAID', frozen: { taskNo: ticket.taskNo, reason: 'TXN_OTHER_MONEY' } })
  expect(ticket).toMatchObject({
    status: 'MANUAL',
    requestSnapshot: { known: { orderNo, amount: 8800 }, told: { amount: 8700, currency: 'CNY' } },
  })
})

it('one event told again with other money raises a ticket, though the event id is known', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data, { eventId: 'evt-two-sums' }))

  await world.take(aCallback({ ...data, amount: 8700 }, { eventId: 'evt-two-sums' }))

  const file = await fileOf(world, orderNo)
  expect(tasksOf(file, 'REVIEW')).toHaveLength(1)
  expect(verdictsOf(file).toSorted()).toEqual(['applied', 'conflict'])
})

it('one transaction told for another order freezes both orders and pays only the first', async () => {
  const world = await openWorld()
  const first = await putPayingOrder(world)
  const second = await putPayingOrder(world)
  const data = paid(first)
  await world.take(aCallback(data))

  await world.take(aCallback({ ...data, order_no: second }))

  const [one, two] = [await fileOf(world, first), await fileOf(world, second)]
  expect(one.order).toMatchObject({ status: 'PAID', frozen: { reason: 'TXN_OTHER_ORDER' } })
  expect(two.order).toMatchObject({ status: 'PAYING', frozen: { reason: 'TXN_OTHER_ORDER' } })
  expect(two.payments).toHaveLength(0)
  expect(taskOf(two, 'REVIEW')).toMatchObject({
    requestSnapshot: { known: { orderNo: first }, told: { outTradeNo: second } },
  })
})

it('one transaction told for two orders at the same moment pays one of them and freezes both', async () => {
  const world = await openWorld()
  const first = await putPayingOrder(world)
  const second = await putPayingOrder(world)
  const data = paid(first)

  await Promise.all([world.take(aCallback(data)), world.take(aCallback({ ...data, order_no: second }))])

  const files = [await fileOf(world, first), await fileOf(world, second)]
  expect(files.flatMap(({ payments }) => payments)).toHaveLength(1)
  expect(files.map(({ order }) => order?.status).toSorted()).toEqual(['PAID', 'PAYING'])
  expect(files.every(({ order }) => order?.frozen?.reason === 'TXN_OTHER_ORDER')).toBe(true)
  expect(files.flatMap(({ tasks }) => tasks.filter(({ bizType }) => bizType === 'SETTLE_CALLBACK'))).toHaveLength(0)
})

it('a conflict told three times is one ticket', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))

  for (let time = 0; time < 3; time++) await world.take(aCallback({ ...data, amount: 8700 }))

  expect(tasksOf(await fileOf(world, orderNo), 'REVIEW')).toHaveLength(1)
})
