import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BookingFile, decideBooking, type PaymentEvent } from '../../modules/core/decide-booking.ts'
import { sameMoney } from '../../modules/core/money.ts'
import {
  aChannel,
  anOrder,
  anOrderNo,
  anOutTradeNo,
  aPayment,
  aPaymentEvent,
  money,
  orderStatuses,
  payableStatuses,
} from '../support/core-builders.ts'

// Few values each, so that two of them are often the same.
const anyMoney = fc.oneof(
  { weight: 4, arbitrary: fc.constant(money(8800)) },
  { weight: 1, arbitrary: fc.constantFrom(money(8801), money(8800, 'USD'), money(0)) },
)
const anyOrderNo = fc.constantFrom(anOrderNo('ORDER-1'), anOrderNo('ORDER-2'))
const anyKey = {
  channel: fc.constantFrom(aChannel('alipay'), aChannel('stripe')),
  outTradeNo: fc.constantFrom(...['ORDER-1', 'ORDER-1_2', 'ORDER-1_3'].map(anOutTradeNo)),
}
const anyStatus = fc.constantFrom(...orderStatuses)
const anyRole = fc.constantFrom(...(['APPLIED', 'LATE', 'SURPLUS', 'MISMATCHED', 'ORPHAN'] as const))
const anyState = fc.constantFrom(...(['OPEN', 'PAID', 'FAILED', 'CLOSING', 'CLOSED'] as const))

const anyOrder = fc.record({ status: anyStatus, money: anyMoney }).map(anOrder)
const anyPayment = fc.record(
  { orderNo: anyOrderNo, money: anyMoney, role: anyRole },
  { requiredKeys: ['money', 'role'] },
)
const anyFile: fc.Arbitrary<BookingFile> = fc.record(
  {
    order: anyOrder,
    payAttempts: fc.uniqueArray(fc.record({ ...anyKey, state: anyState }), {
      maxLength: 5,
      selector: ({ channel, outTradeNo }) => `${channel} ${outTradeNo}`,
    }),
    payment: anyPayment,
  },
  { requiredKeys: ['payAttempts'] },
)
const anyCase = fc.record({ file: anyFile, event: fc.record({ ...anyKey, money: anyMoney }).map(aPaymentEvent) })

function holds(check: (file: BookingFile, event: PaymentEvent) => void): void {
  fc.assert(
    fc.property(anyCase, ({ file, event }) => check(file, event)),
    { numRuns: 1000 },
  )
}

describe('whatever the file and the payment', () => {
  it('there is a decision, the same each time, and the file stays as it was', () => {
    holds((file, event) => {
      const before = structuredClone({ file, event })

      const decision = decideBooking(file, event)

      expect(['duplicate', 'conflict', 'orderUnknown', 'mismatch', 'refund', 'apply']).toContain(decision.kind)
      expect(decideBooking(before.file, before.event)).toEqual(decision)
      expect({ file, event }).toEqual(before)
    })
  })

  it('money is applied only to an order that waits for exactly this money', () => {
    holds((file, event) => {
      if (decideBooking(file, event).kind !== 'apply') return

      expect(payableStatuses).toContain(file.order?.status)
      expect(file.order?.money).toEqual(event.money)
    })
  })

  it('a closed order is never paid', () => {
    holds((file, event) => {
      const closed = { ...file, order: anOrder({ status: 'CLOSED', money: event.money }) }

      expect(decideBooking(closed, event).kind).not.toBe('apply')
    })
  })

  it('money that differs from the order moves nothing by itself', () => {
    holds((file, event) => {
      if (file.order === undefined || sameMoney(file.order.money, event.money)) return

      expect(['apply', 'refund']).not.toContain(decideBooking(file, event).kind)
    })
  })

  it('a machine refunds only exact money, as LATE for a closed order and as SURPLUS for a paid one', () => {
    holds((file, event) => {
      const decision = decideBooking(file, event)
      if (decision.kind !== 'refund') return

      expect(file.order?.money).toEqual(event.money)
      expect(decision.role).toBe(file.order?.status === 'CLOSED' ? 'LATE' : 'SURPLUS')
      expect(payableStatuses).not.toContain(file.order?.status)
    })
  })

  it('a transaction that was decided before has no second effect', () => {
    holds((file, event) => {
      const known = { ...file, payment: aPayment({ ...file.payment, role: 'APPLIED' }) }

      expect(['duplicate', 'conflict']).toContain(decideBooking(known, event).kind)
    })
  })

  it('exactly the other payable payAttempts are closed, and never the paid one', () => {
    holds((file, event) => {
      const decision = decideBooking(file, event)
      if (decision.kind !== 'apply') return

      const keyOf = (key: { channel: string; outTradeNo?: string }) => `${key.channel} ${key.outTradeNo}`
      const payable = file.payAttempts.filter(({ state }) => state === 'OPEN' || state === 'CLOSING').map(keyOf)
      expect(decision.close.map(keyOf)).toEqual(payable.filter((key) => key !== keyOf(event)))
      expect([undefined, keyOf(event)]).toContain(decision.paid && keyOf(decision.paid))
    })
  })
})
