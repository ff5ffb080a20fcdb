import { expect, it } from 'vitest'
import { parseOrderNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { sure } from '../support/core-builders.ts'
import {
  fileOf,
  freshOrderNo,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it.each(['cart_12345', 'ORD-of-nobody'])(
  'a second notice under %s, which is no order, is the same payment',
  async (number) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))

    await world.take(aCallback({ ...data, order_no: number }))

    const file = await fileOf(world, orderNo)
    expect(verdictsOf(file).toSorted()).toEqual(['applied', 'duplicate'])
    expect(file.order?.frozen).toBeUndefined()
    expect(tasksOf(file, 'REVIEW')).toHaveLength(0)
  },
)

it('other money under a number that leads nowhere is a conflict of the order that has the transaction', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))

  await world.take(aCallback({ ...data, order_no: 'cart_12345', amount: 1 }))

  expect((await fileOf(world, orderNo)).order?.frozen).toMatchObject({ reason: 'TXN_OTHER_MONEY' })
})

it('a number that leads nowhere first and to an order later is booked once, under the order', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data))
  await world.take(aCallback({ ...data, order_no: 'cart_12345' }))

  const stray = sure(parseOrderNo('cart_12345'))
  await putOrder(world, { orderNo })
  world.clock.set(plusMs(world.clock.now(), 1000))
  await world.run(taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK'))
  await world.run(taskOf(await fileOf(world, stray), 'SETTLE_CALLBACK'))

  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'APPLIED' }])
  expect(verdictsOf(await fileOf(world, stray))).toEqual(['duplicate'])
})

it('a number of one order that is the name of another is held for a person, and neither is paid', async () => {
  const world = await openWorld()
  const first = await putPayingOrder(world)
  const second = freshOrderNo()
  await startAttempt(world, first, { outTradeNo: second })
  await putOrder(world, { orderNo: second })

  await world.take(aCallback(paid(second)))

  const files = [await fileOf(world, first), await fileOf(world, second)]
  expect(files.flatMap(({ payments }) => payments)).toHaveLength(0)
  expect(files.map(({ order }) => order?.frozen?.reason)).toEqual(['NUMBER_OF_TWO_ORDERS', 'NUMBER_OF_TWO_ORDERS'])
  expect(files.flatMap((file) => tasksOf(file, 'REVIEW'))).toHaveLength(1)
})
