import { describe, expect, it } from 'vitest'
import { type Arrange, duel } from '../support/duel.ts'
import { noticeOf } from '../support/duel-scenes.ts'
import { exploreAllOrders } from '../support/explore-all-orders.ts'
import { fileOf, freshOrderNo, putOrder, putPayingOrder, taskOf } from '../support/ledger-builders.ts'

/** A bank that only tells. */
const isMute = true

const toldTwice: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  const notice = noticeOf(orderNo, 'txn-1')
  return { payments: ['txn-1'], handlers: [({ take }) => take(notice), ({ take }) => take(notice)] }
}

const twoPayments: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  const [one, two] = [noticeOf(orderNo, 'txn-1', 'evt-1'), noticeOf(orderNo, 'txn-2', 'evt-2')]
  return { payments: ['txn-1', 'txn-2'], handlers: [({ take }) => take(one), ({ take }) => take(two)] }
}

const beforeItsOrder: Arrange = async (_world, orderNo) => ({
  payments: ['txn-1'],
  handlers: [({ take }) => take(noticeOf(orderNo, 'txn-1')), async (mine) => void (await putOrder(mine, { orderNo }))],
})

describe('in every distinguishable order of the calls', () => {
  it('one payment told twice at once is one payment', async () => {
    const { broken, ends, isComplete } = await duel(toldTwice, { isMute })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('one payment told twice by notices of their own is one payment', async () => {
    const { broken, ends, isComplete } = await duel(
      async (world, orderNo) => {
        await putPayingOrder(world, { orderNo })
        const [one, two] = [noticeOf(orderNo, 'txn-1', 'evt-1'), noticeOf(orderNo, 'txn-1', 'evt-2')]
        return { payments: ['txn-1'], handlers: [({ take }) => take(one), ({ take }) => take(two)] }
      },
      { isMute },
    )

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('of two payments of one order one is applied, the other goes back', async () => {
    const { broken, ends, isComplete } = await duel(twoPayments, { isMute })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED+SURPLUS'])
    expect(isComplete).toBe(true)
  })

  it('two more payments of an order that is paid both go back', async () => {
    const { broken, ends, isComplete } = await duel(
      async (world, orderNo, channel) => {
        const { handlers } = await twoPayments(world, orderNo, channel)
        await world.take(noticeOf(orderNo, 'txn-0', 'evt-0'))
        return { payments: ['txn-0', 'txn-1', 'txn-2'], handlers }
      },
      { isMute },
    )

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED+SURPLUS+SURPLUS'])
    expect(isComplete).toBe(true)
  })

  it('a payment that meets the creation of its order is applied in the end', async () => {
    const { broken, ends, isComplete } = await duel(beforeItsOrder, { isMute })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('a kept callback that meets the same callback told again is one payment', async () => {
    const { broken, ends, isComplete } = await duel(
      async (world, orderNo) => {
        const notice = noticeOf(orderNo, 'txn-1')
        await world.take(notice)
        await putOrder(world, { orderNo })
        world.clock.advance(1000)
        const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
        return { payments: ['txn-1'], handlers: [({ run }) => run(task), ({ take }) => take(notice)] }
      },
      { isMute },
    )

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })
})

it.each([
  ['one payment told twice', toldTwice],
  ['two payments of one order', twoPayments],
  ['a payment before its order', beforeItsOrder],
])('%s: the orders played leave every state that all orders of the calls leave', async (_name, arrange) => {
  const orderNo = freshOrderNo()
  const few = await duel(arrange, { isMute, orderNo })
  const all = await duel(arrange, { isMute, orderNo, explore: exploreAllOrders })

  expect(all.isComplete).toBe(true)
  expect(few.states).toEqual(all.states)
  expect(few.played).toBeLessThan(all.played)
})
