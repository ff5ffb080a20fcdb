import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { sure } from '../support/core-builders.ts'
import { fileOf, forceRow, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const overrides: PolicyOverrides = { DELIVER: { leaseMs: 0 } }

/** A delivery whose worker holds it and has not come back, as the sweep reads it. */
async function aHeldDelivery(): Promise<{ readonly world: World; readonly now: () => Promise<TaskRow> }> {
  const world = await openWorld({ overrides })
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = () => new Promise(() => {})
  const now = async () => taskOf(await fileOf(world, orderNo), 'DELIVER')
  const task = await now()
  world.clock.set(sure(task.dueAt))
  // Nobody waits for this worker: it never comes back.
  void world.run(task)
  await expect.poll(() => world.merchant.received.length).toBe(1)
  return { world, now }
}

it('a task that its worker holds beyond the lease is taken back', async () => {
  const { world, now } = await aHeldDelivery()

  expect(await sweepRow(world, await now(), world.clock.now())).toBe('taken back')
  expect(await now()).toMatchObject({ status: 'WAITING', lastErrorCode: 'ABANDONED' })
})

it('one that was written since the sweep read it is left, even where its time to look is the same', async () => {
  const { world, now } = await aHeldDelivery()
  const read = await now()
  await forceRow(world.ledger, read, { resultSnapshot: { note: 'written meanwhile' } }, world.clock.now())

  expect(await sweepRow(world, read, world.clock.now())).toBe('left')
  expect(await now()).toMatchObject({ status: 'PROCESSING', resultSnapshot: { note: 'written meanwhile' } })
})

it('of two sweeps that read the same row one takes it back', async () => {
  const { world, now } = await aHeldDelivery()
  const read = await now()

  const swept = [await sweepRow(world, read, world.clock.now()), await sweepRow(world, read, world.clock.now())]

  expect(swept).toEqual(['taken back', 'left'])
})
