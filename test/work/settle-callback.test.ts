import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { settleCallbackHandler } from '../../functions/work/handlers/settle-callback.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { SecretMissingError } from '../../modules/runtime/secrets/secret-texts.ts'
import { withFaults } from '../support/faults.ts'
import { fileOf, freshOrderNo, paid, putOrder, taskOf, tasksOf, verdictsOf } from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function aParkedCallback(world: World) {
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data))
  world.clock.advance(1000)
  return { orderNo, data, task: taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK') }
}

it('a kept callback that was booked by other means ends its task without an attempt', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const callback = aCallback(paid(orderNo))
  await world.take(callback)
  await putOrder(world, { orderNo })
  await world.take(callback)
  world.clock.advance(1000)

  await world.run(taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK'))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(taskOf(file, 'SETTLE_CALLBACK')).toMatchObject({
    status: 'SUCCESS',
    attempts: 0,
    resultSnapshot: { endedBecause: 'CALLBACK_APPLIED' },
  })
})

it('a task whose kept callback is gone goes to a person', async () => {
  const world = await openWorld()
  const { orderNo, task } = await aParkedCallback(world)
  const [row] = (await fileOf(world, orderNo)).callbacks
  await world.ledger.client.send(
    new DeleteCommand({ TableName: world.ledger.table, Key: { pk: task.pk, sk: row?.sk ?? '' } }),
  )

  await world.run(task)

  expect(taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'CALLBACK_MISSING',
  })
})

it('without the channel’s secret the task pauses and uses no retry, so that no ticket per order follows', async () => {
  const world = await openWorld()
  const { orderNo, task } = await aParkedCallback(world)
  const handler = settleCallbackHandler(world.takeDeps, async ({ channel }) =>
    Promise.reject(new SecretMissingError(channel, 'none')),
  )

  for (let round = 0; round < 10; round++) {
    await runTask(
      { ...world.workDeps, handlers: { SETTLE_CALLBACK: handler } },
      messageFor(task, task.nextExecuteAt),
      'w',
    )
    world.clock.advance(5 * 60_000)
  }

  const file = await fileOf(world, orderNo)
  expect(taskOf(file, 'SETTLE_CALLBACK')).toMatchObject({
    status: 'RETRY',
    retryCount: 0,
    lastErrorCode: 'SECRET_MISSING',
  })
  expect(tasksOf(file, 'START_EXECUTION')).toHaveLength(0)
  expect(verdictsOf(file)).toEqual(['parked'])
})

it('an order that comes between the last look and the record of an orphan takes the money', async () => {
  const world = await openWorld()
  const { orderNo, task } = await aParkedCallback(world)
  world.clock.set(task.deadlineAt)
  let transactions = 0
  const ledger = withFaults(world.ledger, async ({ command }) => {
    // The first is the claim, the second the orphan.
    if (command === 'TransactWriteItemsCommand' && ++transactions === 2) await putOrder(world, { orderNo })
  })

  await worldOn(ledger, world.clock, world.merchant).run(task)

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(tasksOf(file, 'REVIEW')).toHaveLength(0)
})

it('a ledger that does not answer costs a retry, and the next one books', async () => {
  const world = await openWorld()
  const { orderNo, task } = await aParkedCallback(world)
  await putOrder(world, { orderNo })
  let queries = 0
  const ledger = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'QueryCommand' && ++queries === 1) fail('unavailable')
  })
  await worldOn(ledger, world.clock, world.merchant).run(task)
  const between = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(between.nextExecuteAt)

  await world.run(between)

  expect(between).toMatchObject({ status: 'RETRY', lastErrorCode: 'LEDGER_UNAVAILABLE', retryCount: 1 })
  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})
