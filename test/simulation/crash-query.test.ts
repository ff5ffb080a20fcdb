import { describe, expect, it } from 'vitest'
import { sure } from '../support/core-builders.ts'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { type FakeChannel, losesAnswers, paysAt } from '../support/fake-channel.ts'
import { fileOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { allowSeconds } from '../support/patience.ts'
import type { Story } from '../support/world-story.ts'

allowSeconds(120)

/** The question about one payAttempt, after something has happened at its channel. */
function queryStory(name: string, ends: string, happen: (channel: FakeChannel, outTradeNo: string) => void): Story {
  return {
    name: `QUERY_PAYMENT, ${name}`,
    hasChannel: true,
    async arrange(world) {
      const channel = sure(world.channel)
      const orderNo = await putPayingOrder(world)
      happen(channel, orderNo)
      const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
      world.clock.set(task.nextExecuteAt)
      return { orderNo, payments: channel.payments, ends, act: ({ run }) => run(task) }
    },
  }
}

const stories: readonly Story[] = [
  queryStory('paid', 'DELIVERED APPLIED', (channel, outTradeNo) => void channel.pay(outTradeNo)),
  queryStory('not paid yet, and never', 'CLOSED', () => {}),
  queryStory('not paid yet, and paid before the next', 'DELIVERED APPLIED', (channel) => {
    channel.meet = paysAt('query', 2)
  }),
  queryStory('without an answer for three times, and paid', 'DELIVERED APPLIED', (channel, outTradeNo) => {
    channel.pay(outTradeNo)
    channel.meet = losesAnswers('query', 3)
  }),
  queryStory('closed by its channel', 'CLOSED', (channel, outTradeNo) => channel.expire(outTradeNo)),
  queryStory('paid and given back by hand', 'PAYING', (channel, outTradeNo) => {
    channel.pay(outTradeNo)
    channel.giveBack(outTradeNo)
  }),
]

describe.each(stories)('$name', (story) => {
  it('a crash before or after any of its calls, to ledger or channel, breaks no invariant once the system healed', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls).toContain('query')
    expect(broken).toEqual([])
  })

  it('the sweep finishes it when no message comes again', async () => {
    const { broken } = await crashEverywhere(story, 'sweep alone')

    expect(broken).toEqual([])
  })
})
