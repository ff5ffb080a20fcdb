import { expect, it } from 'vitest'
import type { OrdersDeps } from '../../functions/orders/deps.ts'
import { startPayAttempt } from '../../functions/orders/start-pay-attempt.ts'
import { type OrderNo, parseOutTradeNo } from '../../modules/core/ids.ts'
import { ProblemError } from '../../modules/http-api/problem.ts'
import { sure } from '../support/core-builders.ts'
import { duel } from '../support/duel.ts'
import { putOverdueOrder } from '../support/duel-scenes.ts'
import { fileOf, orderOf, putOrder, taskOf } from '../support/ledger-builders.ts'
import { minutesAfter, type World } from '../support/world.ts'
import { BANK, bankAccount } from '../support/world-bank.ts'

const depsOf = ({ ledger, policies, clock }: World): OrdersDeps => ({
  ledger,
  policies,
  now: clock.now,
  channels: new Map([[BANK, bankAccount]]),
  closeAfterMs: 15 * 60_000,
  webhooks: new Set(),
  codeKeys: {
    get: () => Promise.reject(new Error('No code is needed.')),
    refetch: async () => undefined,
  },
})

/** `POST /orders/{orderNo}/pay-attempts` with a number of the merchant's. @returns 'accepted', or the code of the refusal */
async function announce(world: World, orderNo: OrderNo, outTradeNo: string): Promise<string> {
  const body = {
    channel: BANK,
    outTradeNo: sure(parseOutTradeNo(outTradeNo)),
    expiresAt: minutesAfter(world.clock.now(), 10),
  }
  try {
    await startPayAttempt(depsOf(world), orderNo, body, 'merchant')
    return 'accepted'
  } catch (error) {
    if (error instanceof ProblemError) return error.code
    throw error
  }
}

it('a second payAttempt that is announced, and paid, while its order is being closed is refused or honoured, in every distinguishable order of the calls', async () => {
  const answers = new Set<string>()
  const { broken, ends, isComplete } = await duel(async (world, orderNo) => {
    const close = await putOverdueOrder(world, orderNo)
    return {
      handlers: [
        ({ run }) => run(close),
        async (mine, channel) => {
          const answer = await announce(mine, orderNo, `${orderNo}_2`)
          answers.add(answer)
          if (answer === 'accepted') await mine.around('pay', async () => channel.pay(`${orderNo}_2`))
        },
      ],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED', 'DELIVERED APPLIED'])
  expect([...answers].toSorted()).toEqual(['ORDER_CLOSING', 'ORDER_NOT_PAYABLE', 'accepted'])
  expect(isComplete).toBe(true)
})

it('the first payAttempt of an order that is being closed, too', async () => {
  const answers = new Set<string>()
  const { broken, ends, isComplete } = await duel(async (world, orderNo) => {
    await putOrder(world, { orderNo })
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    return {
      handlers: [
        ({ run }) => run(close),
        async (mine, channel) => {
          const answer = await announce(mine, orderNo, orderNo)
          answers.add(answer)
          if (answer === 'accepted') await mine.around('pay', async () => channel.pay(orderNo))
        },
      ],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED', 'DELIVERED APPLIED'])
  expect([...answers].toSorted()).toEqual(['ORDER_CLOSING', 'ORDER_NOT_PAYABLE', 'accepted'])
  expect(isComplete).toBe(true)
})
