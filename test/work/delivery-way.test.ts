import { expect, it } from 'vitest'
import { MAX_ATTEMPTS_READ, mayHaveArrived } from '../../functions/work/delivering/delivery-way.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function aDelivery() {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = () => ({ kind: 'misconfigured', code: 'SECRET_MISSING' })
  const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
  await world.run(task)
  const file = await fileOf(world, orderNo)
  return { task: taskOf(file, 'DELIVER'), rows: file.attempts.filter((row) => row.taskNo === task.taskNo) }
}

it('an attempt that never left proves that nothing arrived', async () => {
  const { task, rows } = await aDelivery()

  expect(mayHaveArrived({ task, rows })).toBe(false)
})

it('of a delivery with more attempts than are read back, one may have arrived', async () => {
  const { task, rows } = await aDelivery()

  expect(mayHaveArrived({ task: { ...task, attempts: MAX_ATTEMPTS_READ + 1 }, rows })).toBe(true)
})

it('an attempt at our own pool of codes that has no end arrived nowhere', async () => {
  const { task, rows } = await aDelivery()
  const open = rows.map(({ outcome: _outcome, ...row }) => ({ ...row, target: 'card-code' }))

  expect(mayHaveArrived({ task, rows: open })).toBe(false)
})
