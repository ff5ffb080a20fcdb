import { expect, it } from 'vitest'
import type { OrderNo } from '../../modules/core/ids.ts'
import { type NoticeType, noticeTypes } from '../../modules/core/notice.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import {
  collectionOf,
  fileOf,
  freshOrderNo,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback, BANK } from '../support/world-bank.ts'
import { heal } from '../support/world-heal.ts'

const openTold = (notices: readonly NoticeType[] = noticeTypes): Promise<World> =>
  openWorld({ notices: new Set(notices) })

/** Number and type of each notice of an order, in their order. */
async function toldOf(world: World, orderNo: OrderNo): Promise<readonly string[]> {
  return tasksOf(await fileOf(world, orderNo), 'NOTIFY')
    .map(({ requestSnapshot }) => `${requestSnapshot?.['sequence']} ${requestSnapshot?.['type']}`)
    .toSorted()
}

async function putClosedOrder(world: World): Promise<OrderNo> {
  const orderNo = await putOrder(world)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
  return orderNo
}

it('a paid and delivered order is told of in three notices, numbered without a gap', async () => {
  const world = await openTold()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)

  await world.take(aCallback(data))
  await heal(world, [orderPk(orderNo)])

  expect(await toldOf(world, orderNo)).toEqual(['1 order.paid', '2 payment.applied', '3 order.delivered'])
  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'DELIVERED', notices: 3 })
  const bodies = world.merchant.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => type !== 'order.deliver')
  expect(bodies.find(({ type }) => type === 'payment.applied')).toMatchObject({
    data: {
      id: `${orderNo}/2`,
      orderNo,
      sequence: 2,
      channel: BANK,
      channelTxnId: data.txn,
      amount: 8800,
      currency: 'CNY',
      paidAt: '2026-03-01T07:59:58.000Z',
    },
  })
})

it('an order that nobody paid is told of as closed, with the reason', async () => {
  const world = await openTold()

  const orderNo = await putClosedOrder(world)

  expect(await toldOf(world, orderNo)).toEqual(['1 order.closed'])
  const [notice] = tasksOf(await fileOf(world, orderNo), 'NOTIFY')
  expect(notice?.requestSnapshot?.['data']).toEqual({ amount: 8800, currency: 'CNY', reason: 'NOT_PAID_IN_TIME' })
})

it('money for a closed order is told of with the refund that sends it back', async () => {
  const world = await openTold()
  const orderNo = await putClosedOrder(world)

  await world.take(aCallback(paid(orderNo)))

  expect(await toldOf(world, orderNo)).toEqual(['1 order.closed', '2 payment.late', '3 refund.created'])
  const file = await fileOf(world, orderNo)
  const refund = tasksOf(file, 'NOTIFY').find(({ requestSnapshot }) => requestSnapshot?.['type'] === 'refund.created')
  expect(refund?.requestSnapshot?.['data']).toMatchObject({
    refundNo: file.refunds[0]?.refundNo,
    cause: 'LATE',
    amount: 8800,
  })
})

it('a second payment goes on counting where the first one ended', async () => {
  const world = await openTold()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))

  await world.take(aCallback(paid(orderNo)))

  expect(await toldOf(world, orderNo)).toEqual([
    '1 order.paid',
    '2 payment.applied',
    '3 payment.surplus',
    '4 refund.created',
  ])
})

it.each([1, 2])('wrong money is told of each time it comes: %d payments', async (payments) => {
  const world = await openTold()
  const orderNo = await putPayingOrder(world)

  for (let n = 0; n < payments; n++) await world.take(aCallback(paid(orderNo, { amount: 1 })))

  expect(await toldOf(world, orderNo)).toEqual(
    Array.from({ length: payments }, (_, n) => `${n + 1} payment.mismatched`),
  )
})

it('the same callback twice is told of once', async () => {
  const world = await openTold()
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))

  await world.take(callback)
  await world.take(callback)

  expect(await toldOf(world, orderNo)).toEqual(['1 order.paid', '2 payment.applied'])
})

it('money whose order never comes is told of without a number', async () => {
  const world = await openTold()
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data))

  await heal(world, [orderPk(orderNo)])

  const { tasks } = await collectionOf(world, orderPk(orderNo))
  const notices = tasks.filter(({ bizType }) => bizType === 'NOTIFY')
  expect(notices).toMatchObject([{ status: 'SUCCESS', bizNo: `orphan/${BANK}/${data.txn}` }])
  const told = world.merchant.received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'payment.orphan')
  expect(told.data).toMatchObject({ channelTxnId: data.txn, amount: 8800 })
  expect(told.data.sequence).toBeUndefined()
})

it('only what was chosen is told of, and numbers count only that', async () => {
  const world = await openTold(['order.delivered', 'payment.applied'])
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback(paid(orderNo)))
  await heal(world, [orderPk(orderNo)])

  expect(await toldOf(world, orderNo)).toEqual(['1 payment.applied', '2 order.delivered'])
})

it('a merchant who chose nothing gets his deliveries and nothing else', async () => {
  const world = await openTold([])
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback(paid(orderNo)))
  await heal(world, [orderPk(orderNo)])

  expect(await toldOf(world, orderNo)).toEqual([])
  expect((await orderOf(world, orderNo)).notices).toBeUndefined()
  expect(world.merchant.received).toHaveLength(1)
})
