import { expect, it } from 'vitest'
import {
  fileOf,
  forceOrder,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const everyStatus = [
  'WAIT_PAY',
  'PAYING',
  'PAY_FAILED',
  'PAID',
  'DELIVERED',
  'COMPLETED',
  'CLOSED',
  'REFUNDING',
  'REFUNDED',
] as const

it.each(everyStatus)(
  'money of another amount for a %s order is MISMATCHED, with a ticket and a freeze',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putOrder(world)
    await forceOrder(world, orderNo, { status })
    const data = paid(orderNo, { amount: 4000 })

    await world.take(aCallback(data))

    const file = await fileOf(world, orderNo)
    const ticket = taskOf(file, 'REVIEW')
    expect(file.order).toMatchObject({ status, frozen: { taskNo: ticket.taskNo, reason: 'MISMATCH_AMOUNT' } })
    expect(file.payments).toMatchObject([{ role: 'MISMATCHED', paid: 4000, reserved: 0, channelTxnId: data.txn }])
    expect(ticket).toMatchObject({
      status: 'MANUAL',
      lastErrorCode: 'MISMATCH_AMOUNT',
      requestSnapshot: {
        ordered: { amount: 8800, currency: 'CNY' },
        paid: { amount: 4000, currency: 'CNY' },
        channelTxnId: data.txn,
      },
    })
    expect(tasksOf(file, 'REFUND')).toHaveLength(0)
    expect(tasksOf(file, 'DELIVER')).toHaveLength(0)
    expect(verdictsOf(file)).toEqual(['mismatched'])
  },
)

it.each(everyStatus)('money of another currency for a %s order is MISMATCHED', async (status) => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await forceOrder(world, orderNo, { status })

  await world.take(aCallback(paid(orderNo, { currency: 'HKD' })))

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status, frozen: { reason: 'MISMATCH_CURRENCY' } })
  expect(file.payments).toMatchObject([{ role: 'MISMATCHED', currency: 'HKD' }])
  expect(taskOf(file, 'REVIEW')).toMatchObject({ requestSnapshot: { paid: { amount: 8800, currency: 'HKD' } } })
})

it('the right money after the wrong money pays the order, which stays frozen for the person', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 8801 })))

  await world.take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'MISMATCH_AMOUNT' } })
  expect(file.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'MISMATCHED'])
})

it('two wrong payments have a ticket each, and the order stays frozen for the first', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))
  const { frozen } = await orderOf(world, orderNo)

  await world.take(aCallback(paid(orderNo, { amount: 2 })))

  const file = await fileOf(world, orderNo)
  expect(file.order?.frozen).toEqual(frozen)
  expect(tasksOf(file, 'REVIEW')).toHaveLength(2)
})

it('every ticket comes with the task that starts its execution, numbered as the ticket says', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback(paid(orderNo, { amount: 1 })))

  const file = await fileOf(world, orderNo)
  const ticket = taskOf(file, 'REVIEW')
  expect(ticket.run).toBe(1)
  expect(taskOf(file, 'START_EXECUTION')).toMatchObject({ bizNo: `${ticket.taskNo}/1`, status: 'WAITING' })
})
