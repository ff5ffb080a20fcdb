import { expect, test, vi } from 'vitest'
import { channelDuel } from '../support/channel-duel.ts'
import { fileOf, orderOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { parkQuestions } from '../support/park-questions.ts'
import type { World } from '../support/world.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

/** An order whose time to be paid is over, and whose close is the only task that asks its channel. */
async function putOverdueOrder(world: World) {
  const orderNo = await putPayingOrder(world)
  await parkQuestions(world, orderNo)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  return { orderNo, close: taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER') }
}

test('two workers on one close, in 46 orders of the calls, close once and tell the channel once', async () => {
  let closes = 0
  const { broken, played, isComplete, ends } = await channelDuel(2, async (world, channel) => {
    channel.meet = ({ name }) => {
      if (name === 'close') closes++
      return undefined
    }
    const { orderNo, close } = await putOverdueOrder(world)
    return {
      orderNo,
      handlers: [({ run }) => run(close, 'worker-1'), ({ run }) => run(close, 'worker-2')],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED'])
  expect(isComplete).toBe(true)
  expect(played).toBeGreaterThanOrEqual(46)
  expect(closes).toBe(played)
})
