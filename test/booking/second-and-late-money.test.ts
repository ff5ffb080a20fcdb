import { expect, it } from 'vitest'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { refundGuard } from '../../modules/ledger/table/keys.ts'
import {
  fileOf,
  forceOrder,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback, BANK } from '../support/world-bank.ts'

it('a second payment is SURPLUS and goes back whole, under its own transaction number', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  const first = paid(orderNo)
  const second = paid(`${orderNo}_2`)
  await world.take(aCallback(first))

  await world.take(aCallback(second))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  const surplus = file.payments.find(({ role }) => role === 'SURPLUS')
  expect(surplus).toMatchObject({ channelTxnId: second.txn, paid: 8800, reserved: 8800, refunded: 0 })
  expect(file.refunds).toMatchObject([
    {
      channel: BANK,
      channelTxnId: second.txn,
      amount: 8800,
      currency: 'CNY',
      state: 'CREATED',
      cause: 'SURPLUS',
      wire: 1,
    },
  ])
  const refundNo = file.refunds[0]?.refundNo
  expect(taskOf(file, 'REFUND')).toMatchObject({ bizNo: refundNo, idempotencyKey: `${refundNo}-1`, channel: BANK })
  expect(tasksOf(file, 'DELIVER')).toHaveLength(1)
  const [guard] = await readRows(
    world.ledger,
    file.refunds.map((row) => refundGuard(row.refundNo)),
  )
  expect(guard).toMatchObject({ et: 'GUARD', orderNo })
})

it('of three payments one is consumed and two go back; what stays is the order total', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const payments = [paid(orderNo), paid(orderNo), paid(orderNo)]

  for (const data of payments) await world.take(aCallback(data))
  for (const data of payments) await world.take(aCallback(data))

  const file = await fileOf(world, orderNo)
  expect(file.payments.map(({ channelTxnId }) => channelTxnId).toSorted()).toEqual(
    payments.map(({ txn }) => txn).toSorted(),
  )
  expect(file.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'SURPLUS', 'SURPLUS'])
  expect(file.refunds).toHaveLength(2)
  const sum = file.payments.reduce(
    (total, { paid: amount, reserved, refunded }) => total + amount - reserved - refunded,
    0,
  )
  expect(sum).toBe(8800)
})

it.each(['PAID', 'DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'] as const)(
  'another payment of a %s order is SURPLUS and moves the order nowhere',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putOrder(world)
    await forceOrder(world, orderNo, { status })

    await world.take(aCallback(paid(orderNo)))

    const file = await fileOf(world, orderNo)
    expect(file.order?.status).toBe(status)
    expect(file.payments).toMatchObject([{ role: 'SURPLUS', reserved: 8800 }])
    expect(tasksOf(file, 'REFUND')).toHaveLength(1)
    expect(tasksOf(file, 'DELIVER')).toHaveLength(0)
  },
)

it('a payment for a CLOSED order is LATE and goes back; the order stays closed and its lines stay released', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world, { closeAfterMs: 60_000 })
  world.clock.advance(60_000)
  await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
  const data = paid(orderNo)

  await world.take(aCallback(data))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('CLOSED')
  expect(file.lines.map(({ state }) => state)).toEqual(['RELEASED'])
  expect(file.payments).toMatchObject([{ role: 'LATE', channelTxnId: data.txn, reserved: 8800 }])
  expect(file.refunds).toMatchObject([{ cause: 'LATE', channelTxnId: data.txn, amount: 8800 }])
  expect(tasksOf(file, 'REFUND')).toHaveLength(1)
  expect(verdictsOf(file)).toEqual(['late'])
})

it('paying one attempt asks for every other open one to be closed at its channel', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_3` })

  await world.take(aCallback(paid(`${orderNo}_2`)))

  const file = await fileOf(world, orderNo)
  expect(
    tasksOf(file, 'CLOSE_ATTEMPT')
      .map(({ bizNo }) => bizNo)
      .toSorted(),
  ).toEqual([`${BANK}/${orderNo}`, `${BANK}/${orderNo}_3`])
  expect(file.payAttempts.map(({ outTradeNo, state }) => [outTradeNo, state])).toEqual([
    [orderNo, 'OPEN'],
    [`${orderNo}_2`, 'PAID'],
    [`${orderNo}_3`, 'OPEN'],
  ])
})
