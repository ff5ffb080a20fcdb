import { expect, test, vi } from 'vitest'
import { channelDuel } from '../support/channel-duel.ts'
import { fileOf, orderOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

/** Fewest handovers first. */
const LIMIT = 40

test('a question against the close of an order that is paid at its channel, in 40 orders of the calls, applies the payment once', async () => {
  const { broken, played, ends } = await channelDuel(
    2,
    async (world, channel) => {
      const orderNo = await putPayingOrder(world)
      channel.pay(orderNo)
      world.clock.set((await orderOf(world, orderNo)).closeAt)
      const file = await fileOf(world, orderNo)
      const [close, question] = [taskOf(file, 'CLOSE_ORDER'), taskOf(file, 'QUERY_PAYMENT')]
      return { orderNo, handlers: [({ run }) => run(close), ({ run }) => run(question)] }
    },
    LIMIT,
  )

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(played).toBe(LIMIT)
})
