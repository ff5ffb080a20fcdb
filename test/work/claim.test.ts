import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { parseTaskNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { sure } from '../support/core-builders.ts'
import { openHangingMerchant } from '../support/hanging-merchant.ts'
import { fileOf, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function aPaidOrder(world: World) {
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  return { orderNo, delivery: taskOf(await fileOf(world, orderNo), 'DELIVER') }
}

it('a claim opens the attempt and takes the order before anything goes out', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)
  const held = openHangingMerchant(world)

  const running = world.run(delivery, 'worker-1')
  await held.arrived
  const during = await fileOf(world, orderNo)
  held.release()
  await running

  const task = taskOf(during, 'DELIVER')
  expect(task).toMatchObject({ status: 'PROCESSING', lockedBy: 'worker-1', fence: 1, attempts: 1 })
  expect(task).not.toHaveProperty('wake')
  expect(during.attempts).toMatchObject([
    { no: 1, target: 'https://merchant.example', idempotencyKey: `dlv_${delivery.taskNo}` },
  ])
  expect(during.attempts[0]).not.toHaveProperty('closedAt')
  const leaseUntil = plusMs(world.clock.now(), 120_000)
  expect(during.order?.activeTask).toEqual({ taskNo: delivery.taskNo, fence: 1, leaseUntil })
  expect(task.dueAt).toBe(delivery.dueAt)
})

it('a claim whose lease ends after the sweep would look moves that look to the end of the lease', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)
  const held = openHangingMerchant(world)
  world.clock.advance(100_000)

  const running = world.run(delivery, 'worker-1')
  await held.arrived
  const during = taskOf(await fileOf(world, orderNo), 'DELIVER')
  held.release()
  await running

  expect(during.dueAt).toBe(plusMs(world.clock.now(), 120_000))
})

it('of eight workers with one message one executes the task', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)

  await Promise.all(Array.from({ length: 8 }, (_, index) => world.run(delivery, `worker-${index}`)))

  const file = await fileOf(world, orderNo)
  expect(world.merchant.received).toHaveLength(1)
  expect(file.attempts).toHaveLength(1)
  expect(taskOf(file, 'DELIVER').status).toBe('SUCCESS')
  expect(file.order?.status).toBe('DELIVERED')
})

it('a message for a task that has ended, or is not due, does nothing', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)
  world.merchant.answer = () => ({ kind: 'transient', networkErrorType: 'connect-refused' })
  await world.run(delivery)
  await world.run(delivery)
  world.merchant.answer = () => ({ kind: 'done' })
  world.clock.advance(70_000)
  await world.run(delivery)
  await world.run(delivery)

  expect(world.merchant.received).toHaveLength(2)
  expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({ status: 'SUCCESS', attempts: 2 })
})

it('a message may come a second early, and not two', async () => {
  const world = await openWorld()
  const { delivery } = await aPaidOrder(world)
  world.merchant.answer = () => ({ kind: 'transient', networkErrorType: 'connect-refused' })
  await world.run(delivery)
  world.clock.advance(58_000)
  await world.run(delivery)
  const early = world.merchant.received.length

  world.clock.advance(1_000)
  await world.run(delivery)

  expect([early, world.merchant.received.length]).toEqual([1, 2])
})

it('a lapsed lease is taken back; the next worker delivers under the same id and the late one commits nothing', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)
  const held = openHangingMerchant(world)
  const late = world.run(delivery, 'worker-late')
  await held.arrived
  world.clock.set(sure(delivery.dueAt))

  await sweepRow(
    { ledger: world.ledger, policies: bindPolicies({}) },
    taskOf(await fileOf(world, orderNo), 'DELIVER'),
    world.clock.now(),
  )
  const takenBack = await fileOf(world, orderNo)
  world.merchant.answer = () => ({ kind: 'unknown', networkErrorType: 'timeout' })
  world.clock.set(taskOf(takenBack, 'DELIVER').nextExecuteAt)
  await world.run(delivery, 'worker-next')
  const afterNext = await fileOf(world, orderNo)
  held.release()
  await late

  const file = await fileOf(world, orderNo)
  expect(taskOf(takenBack, 'DELIVER')).toMatchObject({
    status: 'WAITING',
    lastErrorCode: 'ABANDONED',
    fence: 1,
    retryCount: 1,
  })
  expect(takenBack.attempts).toMatchObject([{ no: 1, outcome: 'ABANDONED', closedAt: delivery.dueAt }])
  expect(taskOf(afterNext, 'DELIVER')).toMatchObject({ status: 'RETRY', fence: 2, retryCount: 2 })
  expect(file).toEqual(afterNext)
  expect(new Set(world.merchant.received.map(({ id }) => id)).size).toBe(1)
})

it('a late worker whose lease lapsed but was not taken over still commits its fact', async () => {
  const world = await openWorld()
  const { orderNo, delivery } = await aPaidOrder(world)
  const held = openHangingMerchant(world)
  const late = world.run(delivery, 'worker-late')
  await held.arrived
  world.clock.advance(300_000)

  held.release()
  await late

  expect((await orderOf(world, orderNo)).status).toBe('DELIVERED')
})

it('a message that names no task is let go', async () => {
  const world = await openWorld()
  const { delivery } = await aPaidOrder(world)

  await world.run({ pk: delivery.pk, taskNo: sure(parseTaskNo('Z'.repeat(26))) })

  expect(world.merchant.received).toHaveLength(0)
})
