import { expect, test } from 'vitest'
import { parseSku } from '../../functions/core/ids.ts'
import { plusMs } from '../../functions/core/instant.ts'
import { commit } from '../../functions/ledger/commit.ts'
import { createOrderWrites, newOrder } from '../../functions/ledger/create-order.ts'
import { readOrderFile } from '../../functions/ledger/queries.ts'
import { money, sure } from '../support/core-builders.ts'
import { fileOf, freshOrderNo, paid, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

/** Money for an order that never came, at the end of its ladder. */
async function makeOrphan(world: World, orderNo: ReturnType<typeof freshOrderNo>): Promise<void> {
  const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(plusMs(task.deadlineAt, 1))
  await world.run(task)
}

function anOrderOf(world: World, orderNo: ReturnType<typeof freshOrderNo>) {
  const now = world.clock.now()
  return newOrder(
    {
      orderNo,
      ...money(8800),
      lines: [{ sku: sure(parseSku('tea')), qty: 1 }],
      closeAt: plusMs(now, 900_000),
      contentHash: 'hash',
    },
    now,
  )
}

test('an order that was read for before its orphan was recorded is not created blind: it looks again and takes the money', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  const before = await readOrderFile(world.ledger, orderNo)
  await makeOrphan(world, orderNo)
  const now = world.clock.now()

  const blind = await commit(world.ledger, createOrderWrites(anOrderOf(world, orderNo), before, 'shop', {}, now), now)
  const seen = await readOrderFile(world.ledger, orderNo)
  const again = await commit(world.ledger, createOrderWrites(anOrderOf(world, orderNo), seen, 'shop', {}, now), now)

  expect(blind.kind).toBe('lost')
  expect(again.kind).toBe('done')
  const tasks = (await fileOf(world, orderNo)).tasks.filter(({ bizNo }) => bizNo.endsWith('/put'))
  expect(tasks).toHaveLength(1)
})

test('the same notice told again keeps an orphan an orphan, so that its order finds it', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const notice = aCallback(paid(orderNo))
  await world.take(notice)
  const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(plusMs(task.deadlineAt, 1))
  await world.run(task)

  await world.take(notice)

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN' }])
  expect(file.callbacks.map(({ verdict }) => verdict)).toEqual(['orphan'])
})
