import { describe, expect, it } from 'vitest'
import { sure } from '../support/core-builders.ts'
import { duel } from '../support/duel.ts'
import { noticeOf } from '../support/duel-scenes.ts'
import { fileOf, putPayingOrder, startAttempt, taskOf } from '../support/ledger-builders.ts'
import { aCallback } from '../support/world-bank.ts'

const failed = (outTradeNo: string, eventId: string) => aCallback({ order_no: outTradeNo }, { type: 'failed', eventId })

describe('in every distinguishable order of the calls', () => {
  it('a try that fails while another one is paid is FAILED, and its order delivered', async () => {
    const states = new Set<string>()
    const { broken, ends, isComplete } = await duel(
      async (world, orderNo) => {
        await putPayingOrder(world, { orderNo })
        await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
        const [end, payment] = [failed(`${orderNo}_2`, 'evt-1'), noticeOf(orderNo, 'txn-1', 'evt-2')]
        return {
          payments: ['txn-1'],
          handlers: [({ take }) => take(end), ({ take }) => take(payment)],
          check: async () => {
            const { payAttempts } = await fileOf(world, orderNo)
            states.add(payAttempts.map(({ state }) => state).join(' '))
            return []
          },
        }
      },
      { isMute: true },
    )

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect([...states]).toEqual(['PAID FAILED'])
    expect(isComplete).toBe(true)
  })

  it('two tries that fail at once are both FAILED', async () => {
    const states = new Set<string>()
    const { broken, isComplete } = await duel(
      async (world, orderNo) => {
        await putPayingOrder(world, { orderNo })
        await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
        const ends = [failed(orderNo, 'evt-1'), failed(`${orderNo}_2`, 'evt-2')] as const
        return {
          handlers: [({ take }) => take(ends[0]), ({ take }) => take(ends[1])],
          check: async () => {
            const { payAttempts } = await fileOf(world, orderNo)
            states.add(payAttempts.map(({ state }) => state).join(' '))
            return []
          },
        }
      },
      { isMute: true },
    )

    expect(broken).toEqual([])
    expect([...states]).toEqual(['FAILED FAILED'])
    expect(isComplete).toBe(true)
  })

  it('a try that fails and is paid all the same is PAID', async () => {
    const { broken, ends, isComplete } = await duel(
      async (world, orderNo) => {
        await putPayingOrder(world, { orderNo })
        const [end, payment] = [failed(orderNo, 'evt-1'), noticeOf(orderNo, 'txn-1', 'evt-2')]
        return { payments: ['txn-1'], handlers: [({ take }) => take(end), ({ take }) => take(payment)] }
      },
      { isMute: true },
    )

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('a channel that closes a try whose payment it told before leaves it PAID', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      await putPayingOrder(world, { orderNo })
      const question = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
      world.clock.set(question.nextExecuteAt)
      const payment = noticeOf(orderNo, sure(channel.pay(orderNo)), 'evt-1')
      const end = aCallback({ order_no: orderNo }, { type: 'closed', eventId: 'evt-2' })
      return { handlers: [({ take }) => take(payment), ({ take }) => take(end)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })
})
