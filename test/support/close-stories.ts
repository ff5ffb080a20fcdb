import { sure } from './core-builders.ts'
import type { Meet } from './fake-channel.ts'
import { fileOf, orderOf, paid, putPayingOrder, startAttempt, taskOf } from './ledger-builders.ts'
import { parkQuestions } from './park-questions.ts'
import { aCallback } from './world-bank.ts'
import type { Story } from './world-story.ts'

interface StoryOfClose {
  readonly name: string
  readonly ends: string
  readonly meet?: Meet
  readonly attempts?: 1 | 2
}

/** The close of an order with payAttempts at its channel, where something happens while it is being closed. */
export function closeStory({ name, ends, meet = () => undefined, attempts = 1 }: StoryOfClose): Story {
  return {
    name: `CLOSE_ORDER: ${name}`,
    hasChannel: true,
    async arrange(world) {
      const channel = sure(world.channel)
      const orderNo = await putPayingOrder(world, { lines: ends === 'CLOSED' ? 2 : 1 })
      if (attempts === 2) await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
      await parkQuestions(world, orderNo)
      channel.meet = meet
      world.clock.set((await orderOf(world, orderNo)).closeAt)
      const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
      return { orderNo, payments: channel.payments, ends, act: ({ run }) => run(task) }
    },
  }
}

/** The close of the payAttempt that was left over when the order was paid by another one. */
export function closeAttemptStory({ name, ends, meet = () => undefined }: StoryOfClose): Story {
  return {
    name: `CLOSE_ATTEMPT: ${name}`,
    hasChannel: true,
    async arrange(world) {
      const channel = sure(world.channel)
      const orderNo = await putPayingOrder(world)
      await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
      await parkQuestions(world, orderNo)
      channel.meet = meet
      await world.take(aCallback(paid(orderNo, { txn: sure(channel.pay(orderNo)) })))
      const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ATTEMPT')
      return { orderNo, payments: channel.payments, ends, act: ({ run }) => run(task) }
    },
  }
}
