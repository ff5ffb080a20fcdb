import { expect, it } from 'vitest'
import { withFaults } from '../support/faults.ts'
import { fileOf, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openClock, openWorld, type World, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

/** The same world for one invocation, whose calls of the table are noted. */
function noted(world: World) {
  const calls: string[] = []
  const ledger = withFaults(world.ledger, ({ command }) => void calls.push(command.replace(/Command$/, '')))
  return { calls, once: worldOn(ledger, world.clock, world.merchant) }
}

it('a callback that pays a waiting order is kept and booked in one transaction', async () => {
  const world = await openWorld({ clock: openClock() })
  const orderNo = await putPayingOrder(world)
  const { calls, once } = noted(world)

  await once.take(aCallback(paid(orderNo)))

  expect(calls).toEqual(['BatchGetItem', 'Query', 'TransactWriteItems'])
  expect((await fileOf(world, orderNo)).callbacks).toMatchObject([{ verdict: 'applied', seen: 1, rev: 1 }])
})

it('the same callback again is counted and writes nothing else', async () => {
  const world = await openWorld({ clock: openClock() })
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))
  await world.take(callback)
  const { calls, once } = noted(world)

  await once.take(callback)

  expect(calls).toEqual(['BatchGetItem', 'Query', 'UpdateItem'])
  expect((await fileOf(world, orderNo)).callbacks).toMatchObject([{ verdict: 'applied', seen: 2 }])
})

it('the close timer of a paid order looks at task and order alone and ends in one update', async () => {
  const world = await openWorld({ clock: openClock() })
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  const { calls, once } = noted(world)

  await once.run(task)

  expect(calls).toEqual(['BatchGetItem', 'UpdateItem'])
  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')).toMatchObject({ status: 'SUCCESS', attempts: 0 })
})
