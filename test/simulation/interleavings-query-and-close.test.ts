import { expect, it } from 'vitest'
import { type Arrange, duel } from '../support/duel.ts'
import type { FakeChannel } from '../support/fake-channel.ts'
import { fileOf, orderOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { allowSeconds } from '../support/patience.ts'

allowSeconds(300)

/** An order whose time to be paid is over while a question about it is due, and what has happened at its channel. */
const questionAndClose =
  (happen: (channel: FakeChannel, outTradeNo: string) => void): Arrange =>
  async (world, orderNo, channel) => {
    await putPayingOrder(world, { orderNo })
    happen(channel, orderNo)
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const file = await fileOf(world, orderNo)
    const [close, question] = [taskOf(file, 'CLOSE_ORDER'), taskOf(file, 'QUERY_PAYMENT')]
    return { handlers: [({ run }) => run(close), ({ run }) => run(question)] }
  }

it('a question against the close of an order that nobody pays lets it close, in every distinguishable order of the calls', async () => {
  const { broken, ends, isComplete } = await duel(questionAndClose(() => {}))

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED'])
  expect(isComplete).toBe(true)
})

it('a question against the close of an order that is paid at its channel applies the payment once, in every distinguishable order of the calls', async () => {
  const { broken, ends, isComplete } = await duel(questionAndClose((channel, orderNo) => void channel.pay(orderNo)))

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})
