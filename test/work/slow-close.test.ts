import { expect, it } from 'vitest'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { orderOf, putPayingOrder, startAttempt } from '../support/ledger-builders.ts'
import { openClock, openWorld, worldOn } from '../support/world.ts'

const TRIES = 5

it('an order with five open tries at a slow channel closes, or asks a person: it does not ask for ever', async () => {
  const channel = openFakeChannel()
  const clock = openClock()
  const base = await openWorld({ channel, clock })
  const world = worldOn(base.ledger, clock, base.merchant, {
    channel,
    around: async (_call, run) => {
      clock.advance(2000)
      return run()
    },
  })
  const orderNo = await putPayingOrder(world)
  for (let n = 2; n <= TRIES; n++) await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_${n}` })
  const { closeAt } = await orderOf(world, orderNo)
  clock.set(closeAt)

  let rounds = 0
  while ((await orderOf(world, orderNo)).status !== 'CLOSED' && rounds < 30) {
    rounds++
    const task = await runWhenDue(world, orderNo, 'CLOSE_ORDER')
    if (task.status === 'MANUAL') break
  }

  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})
