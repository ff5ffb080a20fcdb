import { expect, test, vi } from 'vitest'
import { orderPk } from '../../functions/ledger/keys.ts'
import type { OrdersDeps } from '../../functions/orders/deps.ts'
import { OrdersError } from '../../functions/orders/problem.ts'
import { startPayment } from '../../functions/orders/start-payment.ts'
import { channelDuel } from '../support/channel-duel.ts'
import { collectionOf, fileOf, orderOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { parkQuestions } from '../support/park-questions.ts'
import { minutesAfter, type World } from '../support/world.ts'
import { BANK, bankAccount } from '../support/world-bank.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

const depsOf = ({ ledger, overrides, clock }: World): OrdersDeps => ({
  ledger,
  overrides,
  now: clock.now,
  channels: new Map([[BANK, bankAccount]]),
  closeAfterMs: 15 * 60_000,
  webhooks: new Set(),
  codeKeys: {
    get: () => Promise.reject(new Error('No code is needed.')),
    refetch: async () => undefined,
  },
})

/** `POST /orders/{orderNo}/payments`. @returns the number that the buyer may pay under, or the code of the refusal */
async function announce(world: World, orderNo: Parameters<typeof orderPk>[0]) {
  const before = await collectionOf(world, orderPk(orderNo))
  const known = new Set(before.payAttempts.map(({ sk }) => sk))
  try {
    const expiresAt = minutesAfter(world.clock.now(), 10)
    await startPayment(depsOf(world), orderNo, { channel: BANK, expiresAt }, 'merchant')
  } catch (error) {
    if (error instanceof OrdersError) return { code: error.code }
    throw error
  }
  const { payAttempts } = await collectionOf(world, orderPk(orderNo))
  return { outTradeNo: payAttempts.find(({ sk }) => !known.has(sk))?.outTradeNo }
}

/** Fewest handovers first. */
const LIMIT = 30

test('a payAttempt that is announced while its order is being closed is refused or honoured, in 30 orders of the calls', async () => {
  const answers = new Set<string>()
  const { broken, played, ends } = await channelDuel(
    2,
    async (world) => {
      const orderNo = await putPayingOrder(world)
      await parkQuestions(world, orderNo)
      world.clock.set((await orderOf(world, orderNo)).closeAt)
      const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
      return {
        orderNo,
        handlers: [
          ({ run }) => run(close),
          async (mine, channel) => {
            const { outTradeNo, code } = await announce(mine, orderNo)
            if (outTradeNo !== undefined) await mine.around('pay', async () => channel.pay(outTradeNo))
            answers.add(code ?? (outTradeNo === undefined ? 'nothing' : 'accepted'))
          },
        ],
      }
    },
    LIMIT,
  )

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED', 'DELIVERED APPLIED'])
  expect([...answers].toSorted()).toEqual(['ORDER_CLOSING', 'ORDER_NOT_PAYABLE', 'accepted'])
  expect(played).toBe(LIMIT)
})
