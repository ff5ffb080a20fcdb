import { describe, expect, it } from 'vitest'
import { decideBooking } from '../../modules/core/decide-booking.ts'
import type { PaymentRole } from '../../modules/core/payment.ts'
import {
  aChannel,
  aFile,
  anOrder,
  anOrderNo,
  anOutTradeNo,
  aPayAttempt,
  aPayment,
  aPaymentEvent,
  money,
  orderStatuses,
  paidStatuses,
  payableStatuses,
} from '../support/core-builders.ts'

const bookedRoles = ['APPLIED', 'LATE', 'SURPLUS', 'MISMATCHED'] as const satisfies readonly PaymentRole[]
const alipayAttempt = { channel: aChannel(), outTradeNo: anOutTradeNo() }

describe('row 1: the same transaction again', () => {
  it.each(bookedRoles)('does nothing when the payment is %s', (role) => {
    const decision = decideBooking(aFile({ payment: aPayment({ role }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'duplicate' })
  })

  it('does nothing for an orphan whose order is still unknown', () => {
    const decision = decideBooking({ payAttempts: [], payment: aPayment({ role: 'ORPHAN' }) }, aPaymentEvent())

    expect(decision).toEqual({ kind: 'duplicate' })
  })

  it('does nothing for a linked payment whose own number leads to no order', () => {
    const decision = decideBooking({ payAttempts: [], payment: aPayment() }, aPaymentEvent())

    expect(decision).toEqual({ kind: 'duplicate' })
  })

  it('decides afresh for an orphan whose order has come', () => {
    const { orderNo: _, ...homeless } = aPayment({ role: 'ORPHAN' })

    expect(decideBooking(aFile({ payment: homeless }), aPaymentEvent()).kind).toBe('apply')
    expect(decideBooking(aFile({ payment: homeless, order: anOrder({ status: 'CLOSED' }) }), aPaymentEvent())).toEqual({
      kind: 'refund',
      role: 'LATE',
    })
  })
})

describe('row 2: one transaction with two stories', () => {
  it.each([
    ['amount', money(8801)],
    ['currency', money(8800, 'USD')],
  ])('is a conflict when the %s changed', (_, other) => {
    const decision = decideBooking(aFile({ payment: aPayment({ money: other }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'conflict', reason: 'TXN_OTHER_MONEY' })
  })

  it('is a conflict when it names another order', () => {
    const decision = decideBooking(aFile({ payment: aPayment({ orderNo: anOrderNo('ORDER-2') }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'conflict', reason: 'TXN_OTHER_ORDER' })
  })

  it('is a conflict for an orphan too', () => {
    const orphan = aPayment({ role: 'ORPHAN', money: money(1) })

    const decision = decideBooking(aFile({ payment: orphan }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'conflict', reason: 'TXN_OTHER_MONEY' })
  })
})

describe('row 3: money for an unknown order', () => {
  it('is parked and not refunded', () => {
    const decision = decideBooking({ payAttempts: [] }, aPaymentEvent())

    expect(decision).toEqual({ kind: 'orderUnknown' })
  })
})

describe('row 4: money that is not what the order asks', () => {
  // One could pay the order and refund what is too much; row 4 hands both ways to a person.
  it.each([
    ['less', money(4000), 'AMOUNT'],
    ['one unit more', money(8801), 'AMOUNT'],
    ['nothing', money(0), 'AMOUNT'],
    ['another currency', money(8800, 'USD'), 'CURRENCY'],
    ['another currency and amount', money(1, 'USD'), 'CURRENCY'],
  ] as const)('is a mismatch for %s', (_, paid, reason) => {
    const decision = decideBooking(aFile(), aPaymentEvent({ money: paid }))

    expect(decision).toEqual({ kind: 'mismatch', reason })
  })

  it.each(orderStatuses)('is a mismatch and no refund for an order in %s', (status) => {
    const decision = decideBooking(aFile({ order: anOrder({ status }) }), aPaymentEvent({ money: money(8799) }))

    expect(decision).toEqual({ kind: 'mismatch', reason: 'AMOUNT' })
  })
})

describe('row 5: money for a closed order', () => {
  it('is late and goes back', () => {
    const decision = decideBooking(aFile({ order: anOrder({ status: 'CLOSED' }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'refund', role: 'LATE' })
  })
})

describe('row 6: money that the order waits for', () => {
  it.each(payableStatuses)('is applied to an order in %s', (status) => {
    const decision = decideBooking(aFile({ order: anOrder({ status }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'apply', paid: alipayAttempt, close: [] })
  })

  it('is applied when no payAttempt of ours is known', () => {
    const decision = decideBooking(aFile({ payAttempts: [] }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'apply', close: [] })
  })

  it('asks to close every other payAttempt that can still be paid', () => {
    const number = (n: number) => anOutTradeNo(`ORDER-1_${n}`)
    const payAttempts = [
      aPayAttempt(),
      aPayAttempt({ outTradeNo: number(2), state: 'OPEN' }),
      aPayAttempt({ outTradeNo: number(3), state: 'CLOSING' }),
      aPayAttempt({ outTradeNo: number(4), state: 'FAILED' }),
      aPayAttempt({ outTradeNo: number(5), state: 'CLOSED' }),
    ]

    const decision = decideBooking(aFile({ payAttempts }), aPaymentEvent())

    const close = [2, 3].map((n) => ({ channel: aChannel(), outTradeNo: number(n) }))
    expect(decision).toEqual({ kind: 'apply', paid: alipayAttempt, close })
  })

  it('tells two channels with the same number apart', () => {
    const payAttempts = [aPayAttempt({ channel: aChannel('wechatpay') }), aPayAttempt()]

    const decision = decideBooking(aFile({ payAttempts }), aPaymentEvent())

    expect(decision).toEqual({
      kind: 'apply',
      paid: alipayAttempt,
      close: [{ channel: aChannel('wechatpay'), outTradeNo: anOutTradeNo() }],
    })
  })

  it.each(['OPEN', 'FAILED', 'CLOSING'] as const)('pays a payAttempt that was %s', (state) => {
    const decision = decideBooking(aFile({ payAttempts: [aPayAttempt({ state })] }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'apply', paid: alipayAttempt, close: [] })
  })

  it('pays the order and takes the channel’s word for a payAttempt that was closed', () => {
    const closed = aPayAttempt({ state: 'CLOSED' })
    const decision = decideBooking(aFile({ payAttempts: [closed] }), aPaymentEvent())

    const { channel, outTradeNo } = closed
    expect(decision).toEqual({ kind: 'apply', close: [], paid: { channel, outTradeNo } })
  })
})

describe('row 7: money for an order that was paid before', () => {
  it.each(paidStatuses)('is surplus and goes back when the order is %s', (status) => {
    const decision = decideBooking(aFile({ order: anOrder({ status }) }), aPaymentEvent())

    expect(decision).toEqual({ kind: 'refund', role: 'SURPLUS' })
  })
})

describe('the order of the rows', () => {
  it.each(orderStatuses)('puts a repeat before the state of an order in %s, so that nothing moves', (status) => {
    const file = aFile({ order: anOrder({ status }), payment: aPayment() })

    expect(decideBooking(file, aPaymentEvent())).toEqual({ kind: 'duplicate' })
  })

  it('puts a repeat before a mismatch: the ticket exists already', () => {
    const short = money(4000)

    const decision = decideBooking(
      aFile({ payment: aPayment({ role: 'MISMATCHED', money: short }) }),
      aPaymentEvent({ money: short }),
    )

    expect(decision).toEqual({ kind: 'duplicate' })
  })

  it('puts a conflict before a mismatch', () => {
    const decision = decideBooking(aFile({ payment: aPayment() }), aPaymentEvent({ money: money(4000) }))

    expect(decision.kind).toBe('conflict')
  })

  it('puts a conflict before an unknown order', () => {
    const decision = decideBooking(
      { payAttempts: [], payment: aPayment({ role: 'ORPHAN' }) },
      aPaymentEvent({ money: money(4000) }),
    )

    expect(decision.kind).toBe('conflict')
  })

  it('judges an orphan by the money of the order that came', () => {
    const short = money(4000)

    const decision = decideBooking(
      aFile({ payment: aPayment({ role: 'ORPHAN', money: short }), order: anOrder({ status: 'CLOSED' }) }),
      aPaymentEvent({ money: short }),
    )

    expect(decision).toEqual({ kind: 'mismatch', reason: 'AMOUNT' })
  })
})
