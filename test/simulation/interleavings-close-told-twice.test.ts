import { expect, test, vi } from 'vitest'
import { channelDuel } from '../support/channel-duel.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { aCallback } from '../support/world-bank.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

test('a question against the callback about the same payment, in 40 orders of the calls, applies it once', async () => {
  const { broken, played, isComplete, ends } = await channelDuel(2, async (world) => {
    const orderNo = await putPayingOrder(world)
    const question = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
    world.clock.set(question.nextExecuteAt)
    return {
      orderNo,
      handlers: [
        ({ run }) => run(question),
        async ({ take, around }, channel) => {
          const txn = await around('pay', async () => channel.pay(orderNo))
          if (txn !== undefined) await take(aCallback(paid(orderNo, { txn })))
        },
      ],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
  expect(played).toBeGreaterThanOrEqual(40)
})
