import { expect, it } from 'vitest'
import {
  fileOf,
  forceOrder,
  movesOf,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { minutesAfter, openWorld } from '../support/world.ts'
import { aCallback, START } from '../support/world-bank.ts'

const failed = (outTradeNo: string) => aCallback({ order_no: outTradeNo }, { type: 'failed' })

it('the failure of one attempt leaves the other one and the order alone', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })

  await world.take(failed(orderNo))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAYING')
  expect(file.payAttempts.map(({ state }) => state)).toEqual(['FAILED', 'OPEN'])
})

it('the failure of the last open attempt makes the order PAY_FAILED, and a new attempt leaves that again', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(failed(orderNo))
  const failedFile = await fileOf(world, orderNo)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })

  expect(failedFile.order?.status).toBe('PAY_FAILED')
  expect(failedFile.order).not.toHaveProperty('dueAt')
  expect(movesOf(await fileOf(world, orderNo))).toEqual([
    '>WAIT_PAY',
    'WAIT_PAY>PAYING',
    'PAYING>PAY_FAILED',
    'PAY_FAILED>PAYING',
  ])
})

it('a failure that comes again after another attempt was paid touches only its own attempt', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const failure = failed(`${orderNo}_1`)
  await world.take(failure)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_1` })
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  await world.take(aCallback(paid(`${orderNo}_2`)))
  world.clock.set(minutesAfter(START, 60))

  await world.take(failed(`${orderNo}_1`))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.payAttempts.map(({ outTradeNo, state }) => [outTradeNo, state])).toEqual([
    [`${orderNo}_1`, 'FAILED'],
    [`${orderNo}_2`, 'PAID'],
  ])
})

it('an attempt that failed and then succeeded pays the order', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(failed(orderNo))

  await world.take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.payAttempts).toMatchObject([{ state: 'PAID' }])
})

it('a failure told after the success of the same attempt changes nothing', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  const before = await fileOf(world, orderNo)

  await world.take(failed(orderNo))

  const after = await fileOf(world, orderNo)
  expect(after.order).toEqual(before.order)
  expect(after.payAttempts).toEqual(before.payAttempts)
  expect(verdictsOf(after)).toContain('recorded')
})

it.each(['closed', 'failed', 'authorised'])(
  "'%s' for a CLOSED order neither opens it again nor starts a refund",
  async (type) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])

    await world.take(aCallback({ order_no: orderNo, txn: 'txn-none' }, { type }))

    const file = await fileOf(world, orderNo)
    expect(file.order?.status).toBe('CLOSED')
    expect(file.payments.filter(({ role }) => role !== 'AWAITED')).toHaveLength(0)
    expect(tasksOf(file, 'REFUND')).toHaveLength(0)
    expect(verdictsOf(file)).toEqual(['recorded'])
  },
)

it('created, failed, failed and at last paid over twelve hours is one delivery, after the payment', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world, { closeAfterMs: 24 * 3_600_000 })
  const deliveries: number[] = []

  for (const callback of [
    aCallback({ order_no: orderNo }, { type: 'created' }),
    failed(orderNo),
    failed(orderNo),
    aCallback(paid(orderNo)),
  ]) {
    await world.take(callback)
    deliveries.push(tasksOf(await fileOf(world, orderNo), 'DELIVER').length)
    world.clock.advance(4 * 3_600_000)
  }

  expect(deliveries).toEqual([0, 0, 0, 1])
})

it('a failure of a payAttempt that is nobody’s is kept and touches nothing', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(failed(`${orderNo}_9`))

  const file = await fileOf(world, orderNo)
  expect(file.payAttempts.map(({ state }) => state)).toEqual(['OPEN'])
  expect(file.order?.status).toBe('PAYING')
})
