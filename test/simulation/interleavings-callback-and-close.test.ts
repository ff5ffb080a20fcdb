import { describe, expect, it } from 'vitest'
import { isPayable } from '../../modules/core/order.ts'
import { sure } from '../support/core-builders.ts'
import { type Arrange, duel } from '../support/duel.ts'
import { noticeOf, payAndTell, putOverdueOrder } from '../support/duel-scenes.ts'
import { exploreAllOrders } from '../support/explore-all-orders.ts'
import { fileOf, forceOrder, freshOrderNo, orderOf, putOrder, taskOf } from '../support/ledger-builders.ts'
import { allowSeconds } from '../support/patience.ts'
import type { World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

allowSeconds(180)

const withoutAttempts: Arrange = async (world, orderNo) => {
  await putOrder(world, { orderNo })
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  const notice = noticeOf(orderNo, 'txn-1')
  return { payments: ['txn-1'], handlers: [({ take }) => take(notice), ({ run }) => run(close)] }
}

describe('in every distinguishable order of the calls', () => {
  it('a buyer who pays while the order is being closed is refused by the channel or gets the goods', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo) => {
      const close = await putOverdueOrder(world, orderNo)
      return { handlers: [({ run }) => run(close), payAndTell(orderNo)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['CLOSED', 'DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('the notice of a payment that the close itself finds at the channel applies it once', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      const close = await putOverdueOrder(world, orderNo)
      const notice = noticeOf(orderNo, sure(channel.pay(orderNo)))
      return { handlers: [({ run }) => run(close), ({ take }) => take(notice)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('the notice of a payment that was told and applied before changes nothing, nor does the close', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      const close = await putOverdueOrder(world, orderNo)
      const notice = noticeOf(orderNo, sure(channel.pay(orderNo)))
      await world.take(notice)
      return { handlers: [({ run }) => run(close), ({ take }) => take(notice)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('a notice that the channel has closed the payAttempt lets the order close', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      const close = await putOverdueOrder(world, orderNo)
      channel.expire(orderNo)
      const notice = aCallback({ order_no: orderNo }, { type: 'closed', eventId: 'evt' })
      return { handlers: [({ run }) => run(close), ({ take }) => take(notice)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['CLOSED'])
    expect(isComplete).toBe(true)
  })

  it('a payment of an order without payAttempts, by a bank that only tells, pays it or is given back', async () => {
    const { broken, ends, isComplete } = await duel(withoutAttempts, { isMute: true })

    expect(broken).toEqual([])
    expect(ends).toEqual(['CLOSED LATE', 'DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })
})

it('a payment against a close: the orders played leave every state that all orders of the calls leave', async () => {
  const orderNo = freshOrderNo()
  const few = await duel(withoutAttempts, { isMute: true, orderNo })
  const all = await duel(withoutAttempts, { isMute: true, orderNo, explore: exploreAllOrders })

  expect(all.isComplete).toBe(true)
  expect(few.states).toEqual(all.states)
  expect(few.played).toBeLessThan(all.played)
})

it('a close that does not look again when it writes is noticed', async () => {
  const { broken, isComplete } = await duel(async (world, orderNo, channel) => {
    await putOverdueOrder(world, orderNo)
    const notice = noticeOf(orderNo, sure(channel.pay(orderNo)))
    const carelessClose = async (mine: World) => {
      const { status } = await orderOf(mine, orderNo)
      if (isPayable(status)) await forceOrder(mine, orderNo, { status: 'CLOSED' })
    }
    return { handlers: [carelessClose, ({ take }) => take(notice)] }
  })

  expect(isComplete).toBe(true)
  expect(broken).toContainEqual(expect.stringContaining('an order in CLOSED has 1 applied payments'))
})
