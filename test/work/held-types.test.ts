import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it('a task without a handler in this release is held and found, not tried and not failed', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  await world.take(aCallback(paid(orderNo)))
  const refund = taskOf(await fileOf(world, orderNo), 'REFUND')

  await world.run(refund)

  const file = await fileOf(world, orderNo)
  const held = taskOf(file, 'REFUND')
  expect(held).toMatchObject({
    status: 'WAITING',
    attempts: 0,
    retryCount: 0,
    lastErrorCode: 'NO_HANDLER',
    dueAt: plusMs(world.clock.now(), 3_600_000),
    findPk: expect.stringMatching(/^T#RETRY#bank#\d$/),
  })
  expect(held).not.toHaveProperty('wake')
  expect(file.attempts).toHaveLength(0)
})

it('a held task is woken by the sweep, so that a release with its handler takes it up', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  await world.take(aCallback(paid(orderNo)))
  await world.run(taskOf(await fileOf(world, orderNo), 'REFUND'))
  world.clock.advance(3_600_000)

  const swept = await sweepRow(
    { ledger: world.ledger, policies: bindPolicies({}) },
    taskOf(await fileOf(world, orderNo), 'REFUND'),
    world.clock.now(),
  )

  expect(swept).toBe('woken')
  expect(taskOf(await fileOf(world, orderNo), 'REFUND').wake).toBe(world.clock.now())
})
