import { expect, test } from 'vitest'
import { fileOf, freshOrderNo, orderOf, paid, putOrder, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { aCallback } from '../support/world-bank.ts'
import { duel } from './duel.ts'

test('two payments of one order in every order of their calls: one is applied, the other goes back', async () => {
  const { broken, played, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const [one, two] = [paid(orderNo), paid(orderNo)]
    const callbacks = [aCallback(one), aCallback(two)] as const
    return {
      orderNo,
      payments: [one.txn, two.txn],
      handlers: [({ take }) => take(callbacks[0]), ({ take }) => take(callbacks[1])],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED+SURPLUS'])
  expect(isComplete).toBe(true)
  expect(played).toBeGreaterThanOrEqual(20)
})

test('one payment told twice at once, in every order of the calls, is one payment', async () => {
  const { broken, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    const callback = aCallback(data)
    return {
      orderNo,
      payments: [data.txn],
      handlers: [({ take }) => take(callback), ({ take }) => take(callback)],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})

test('a payment against the close of its order, in every order of the calls: PAID, or CLOSED and given back', async () => {
  const { broken, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putOrder(world)
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], handlers: [({ take }) => take(callback), ({ run }) => run(task)] }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED LATE', 'DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})

test('a payment against the creation of its order, in every order of the calls, is applied in the end', async () => {
  const { broken, isComplete, ends } = await duel(async () => {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    const callback = aCallback(data)
    return {
      orderNo,
      payments: [data.txn],
      handlers: [({ take }) => take(callback), async (world) => void (await putOrder(world, { orderNo }))],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})
