import { expect, it } from 'vitest'
import { fileOf, forceOrder, freshOrderNo, paid, putPayingOrder, startAttempt } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it('a second payment makes its own try PAID, though its money is surplus and goes back', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const second = freshOrderNo()
  await startAttempt(world, orderNo, { outTradeNo: second })
  await world.take(aCallback(paid(orderNo)))

  await world.take(aCallback(paid(second)))

  const { payAttempts, payments } = await fileOf(world, orderNo)
  expect(payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'SURPLUS'])
  expect(payAttempts.map(({ state }) => state)).toEqual(['PAID', 'PAID'])
})

it.each(['OPEN', 'CLOSED'] as const)('late money makes a try in %s PAID', async (state) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  if (state === 'CLOSED') await world.take(aCallback({ order_no: orderNo }, { type: 'closed' }))
  await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])

  await world.take(aCallback(paid(orderNo)))

  const { payAttempts, payments } = await fileOf(world, orderNo)
  expect(payments).toMatchObject([{ role: 'LATE' }])
  expect(payAttempts).toMatchObject([{ state: 'PAID' }])
})

it('money of another amount makes its try PAID, so that nothing cancels it at the channel', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback({ ...paid(orderNo), amount: 1 }))

  const { payAttempts, payments } = await fileOf(world, orderNo)
  expect(payments).toMatchObject([{ role: 'MISMATCHED' }])
  expect(payAttempts).toMatchObject([{ state: 'PAID' }])
})
