import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideBooking, type PaymentEvent } from '../../modules/core/decide-booking.ts'
import type { PaymentRole } from '../../modules/core/payment.ts'
import {
  aChannel,
  anOrder,
  anOutTradeNo,
  aPayAttempt,
  aPayment,
  aPaymentEvent,
  aTxn,
  type FileOrder,
  type FilePayAttempt,
  type FilePayment,
  money,
} from '../support/core-builders.ts'

interface Story {
  order: FileOrder
  payAttempts: readonly FilePayAttempt[]
  /** By transaction. */
  readonly payments: Map<string, FilePayment>
  readonly roles: (PaymentRole | 'nothing')[]
}

const begin = (order: Partial<FileOrder>, payAttempts: readonly FilePayAttempt[]): Story => ({
  order: anOrder(order),
  payAttempts,
  payments: new Map(),
  roles: [],
})

/** Settles one payment as the decision says and keeps what it was taken for. */
function pay(story: Story, event: PaymentEvent): void {
  const payment = story.payments.get(event.channelTxnId)
  const decision = decideBooking({ ...story, ...(payment && { payment }) }, event)
  if (decision.kind !== 'apply' && decision.kind !== 'refund') {
    story.roles.push('nothing')
    return
  }
  const role = decision.kind === 'apply' ? 'APPLIED' : decision.role
  story.payments.set(event.channelTxnId, aPayment({ money: event.money, role }))
  story.roles.push(role)
  if (decision.kind === 'refund') return
  const names = (keys: readonly { outTradeNo: string }[], attempt: FilePayAttempt) =>
    keys.some((key) => key.outTradeNo === attempt.outTradeNo)
  story.order = { ...story.order, status: 'PAID' }
  story.payAttempts = story.payAttempts.map((attempt) => ({
    ...attempt,
    ...(names(decision.close, attempt) && { state: 'CLOSING' as const }),
    ...(names(decision.paid ? [decision.paid] : [], attempt) && { state: 'PAID' as const }),
  }))
}

const wechat = { channel: aChannel('wechatpay'), outTradeNo: anOutTradeNo('ORDER-1') }
const alipay = { channel: aChannel('alipay'), outTradeNo: anOutTradeNo('ORDER-1_2') }
const rolesByTxn = (story: Story) => Object.fromEntries([...story.payments].map(([txn, { role }]) => [txn, role]))

describe('an order with two tries to pay', () => {
  it('refunds the one that is paid while both are being closed, and stays closed', () => {
    const story = begin({ status: 'CLOSED' }, [
      aPayAttempt({ ...wechat, state: 'CLOSING' }),
      aPayAttempt({ ...alipay, state: 'CLOSING' }),
    ])

    pay(story, aPaymentEvent({ ...alipay, channelTxnId: aTxn('B') }))

    expect(rolesByTxn(story)).toEqual({ B: 'LATE' })
    expect(story.order.status).toBe('CLOSED')
    expect(story.payAttempts.map(({ state }) => state)).toEqual(['CLOSING', 'CLOSING'])
  })

  it('takes the first payment, asks to close the second try, and refunds what it still brings', () => {
    const second = { channel: wechat.channel, outTradeNo: anOutTradeNo('ORDER-1_2') }
    const story = begin({}, [aPayAttempt(wechat), aPayAttempt(second)])

    pay(story, aPaymentEvent({ ...wechat, channelTxnId: aTxn('first') }))
    const statesAfterFirst = story.payAttempts.map(({ state }) => state)
    pay(story, aPaymentEvent({ ...second, channelTxnId: aTxn('second') }))

    expect(statesAfterFirst).toEqual(['PAID', 'CLOSING'])
    expect(rolesByTxn(story)).toEqual({ first: 'APPLIED', second: 'SURPLUS' })
  })
})

describe('one order charged several times', () => {
  it('lists each charge once: one consumed, two surplus', () => {
    const story = begin({}, [aPayAttempt()])

    for (const txn of ['a', 'b', 'a', 'c', 'b']) pay(story, aPaymentEvent({ channelTxnId: aTxn(txn) }))

    expect(story.roles).toEqual(['APPLIED', 'SURPLUS', 'nothing', 'SURPLUS', 'nothing'])
    expect(rolesByTxn(story)).toEqual({ a: 'APPLIED', b: 'SURPLUS', c: 'SURPLUS' })
  })

  it('keeps exactly its price, in whatever order and however often the news comes', () => {
    const anyNews = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(anyNews, (news) => {
        const story = begin({}, [aPayAttempt()])

        for (const txn of news) pay(story, aPaymentEvent({ channelTxnId: aTxn(txn) }))

        const [first, ...others] = [...story.payments.values()].map(({ role }) => role)
        expect(story.payments.size).toBe(new Set(news).size)
        expect(first).toBe('APPLIED')
        expect(others.every((role) => role === 'SURPLUS')).toBe(true)
      }),
    )
  })

  it('is never reopened by money that comes after the close, and gives all of it back', () => {
    const anyNews = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(anyNews, (news) => {
        const story = begin({ status: 'CLOSED' }, [aPayAttempt({ state: 'CLOSED' })])

        for (const txn of news) pay(story, aPaymentEvent({ channelTxnId: aTxn(txn) }))

        expect(story.order.status).toBe('CLOSED')
        expect([...story.payments.values()].every(({ role }) => role === 'LATE')).toBe(true)
        expect(story.payments.size).toBe(new Set(news).size)
      }),
    )
  })
})

describe('the first success notice once more', () => {
  it.each(['PAID', 'DELIVERED', 'REFUNDING', 'REFUNDED'] as const)('moves nothing when the order is %s', (status) => {
    const story = begin({}, [aPayAttempt()])
    pay(story, aPaymentEvent())
    story.order = { ...story.order, status }

    pay(story, aPaymentEvent({ eventId: 'event-2' }))

    expect(story.roles).toEqual(['APPLIED', 'nothing'])
    expect(story.order.status).toBe(status)
  })

  it('is no repeat when its money changed', () => {
    const story = begin({}, [aPayAttempt()])
    pay(story, aPaymentEvent())

    pay(story, aPaymentEvent({ money: money(1) }))

    expect(story.roles).toEqual(['APPLIED', 'nothing'])
    expect(story.payments.get('txn-1')?.money).toEqual(money())
  })
})
