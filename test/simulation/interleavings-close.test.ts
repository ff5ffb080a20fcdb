import { expect, test, vi } from 'vitest'
import { channelDuel } from '../support/channel-duel.ts'
import { fileOf, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { parkQuestions } from '../support/park-questions.ts'
import type { World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

/** An order whose time to be paid is over, and whose close is the only task that asks its channel. */
async function putOverdueOrder(world: World) {
  const orderNo = await putPayingOrder(world)
  await parkQuestions(world, orderNo)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  return { orderNo, close: taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER') }
}

test('a buyer who pays while the order is being closed is refused by the channel or gets the goods, in 44 orders of the calls', async () => {
  const { broken, played, isComplete, ends } = await channelDuel(2, async (world) => {
    const { orderNo, close } = await putOverdueOrder(world)
    return {
      orderNo,
      handlers: [
        ({ run }) => run(close),
        async ({ take, around }, channel) => {
          const txn = await around('pay', async () => channel.pay(orderNo))
          if (txn !== undefined) await take(aCallback(paid(orderNo, { txn })))
        },
      ],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED', 'DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
  expect(played).toBeGreaterThanOrEqual(44)
})
