import { expect, test } from 'vitest'
import { fileOf, freshOrderNo, paid, putOrder, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { aCallback } from '../support/world-bank.ts'
import { duel } from './duel.ts'

/** Of more than three hundred. */
const LIMIT = 60

test('a kept callback against the same callback told again, in 60 orders of their calls, is one payment', async () => {
  const { broken, played, ends } = await duel(async (world) => {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    const callback = aCallback(data)
    await world.take(callback)
    await putOrder(world, { orderNo })
    world.clock.advance(1000)
    const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
    return { orderNo, payments: [data.txn], handlers: [({ run }) => run(task), ({ take }) => take(callback)] }
  }, LIMIT)

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(played).toBe(LIMIT)
})

test('two workers on one delivery, in every order of the calls, send it once', async () => {
  const sent = new Set<number>()
  const { broken, isComplete } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
    world.merchant.answer = () => {
      sent.add(world.merchant.received.length)
      return { kind: 'done' }
    }
    return {
      orderNo,
      payments: [data.txn],
      handlers: [({ run }) => run(task, 'worker-1'), ({ run }) => run(task, 'worker-2')],
    }
  })

  expect(broken).toEqual([])
  expect([...sent]).toEqual([1])
  expect(isComplete).toBe(true)
})
