import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, type MoneyOutLimits } from '../../modules/core/admission.ts'
import { stepOf } from '../../modules/core/machine.ts'
import { type OwnNews, ownRefundNews } from '../../modules/core/own-refund-news.ts'
import { refundMachine, refundStates } from '../../modules/core/refund.ts'
import { refundWay } from '../../modules/core/refund-way.ts'
import { orderStatuses } from '../support/core-builders.ts'

describe('where the order goes', () => {
  const paid = 10_000

  it.each(['PAID', 'DELIVERED', 'COMPLETED'] as const)(
    'a refund of the rest moves an order from %s, a part does not',
    (status) => {
      expect(refundWay(status, { paid, gone: 4000, ownOpen: 6000 })).toBe('startRefund')
      expect(refundWay(status, { paid, gone: 4000, ownOpen: 5999 })).toBe('stay')
    },
  )

  it('news alone never moves an order that is not REFUNDING', () => {
    for (const status of orderStatuses.filter((one) => one !== 'REFUNDING')) {
      expect(refundWay(status, { paid, gone: paid, ownOpen: 0 })).toBe('stay')
    }
  })

  it('an order in REFUNDING ends when all is gone, goes back when nothing of ours could make it so, and else stays', () => {
    expect(refundWay('REFUNDING', { paid, gone: paid, ownOpen: 0 })).toBe('refundAll')
    expect(refundWay('REFUNDING', { paid, gone: 0, ownOpen: 0 })).toBe('wayBack')
    expect(refundWay('REFUNDING', { paid, gone: 2000, ownOpen: 3000 })).toBe('wayBack')
    expect(refundWay('REFUNDING', { paid, gone: 4000, ownOpen: 6000 })).toBe('stay')
  })

  it('an order goes back when our full refund is refused while a dispute is pending', () => {
    expect(refundWay('REFUNDING', { paid, gone: 0, ownOpen: 0 })).toBe('wayBack')
  })
})

describe('admission', () => {
  const limits: MoneyOutLimits = {
    approveAbove: 5000,
    fourEyesAbove: 50_000,
    perHour: { count: 2, amount: 8000 },
    perDay: { count: 10, amount: 20_000 },
  }
  const unused = { day: { count: 0, amount: 0 }, hour: { count: 0, amount: 0 } }
  const asked = { cause: 'LATE', amount: 3000, cumulative: 3000, isFrozen: false } as const

  it('lets a small refund out by itself', () => {
    expect(admit(asked, limits, unused)).toEqual({ kind: 'auto' })
  })

  it('counts all money out of the payment, so that ten small refunds are no way around the threshold', () => {
    expect(admit({ ...asked, cumulative: 5001 }, limits, unused)).toMatchObject({
      reason: 'APPROVAL_AMOUNT',
      eyes: 'one',
    })
    expect(admit({ ...asked, cumulative: 50_001 }, limits, unused)).toMatchObject({ eyes: 'two' })
  })

  it.each([
    ['the count of the hour', { ...unused, hour: { count: 2, amount: 0 } }],
    ['the sum of the hour', { ...unused, hour: { count: 0, amount: 5001 } }],
    ['the count of the day', { ...unused, day: { count: 10, amount: 0 } }],
    ['the sum of the day', { ...unused, day: { count: 0, amount: 17_001 } }],
  ])('over %s it asks a person and loses nothing', (_, use) => {
    expect(admit(asked, limits, use)).toMatchObject({ kind: 'person', reason: 'APPROVAL_CAP' })
  })

  it('asks two people about a currency that nobody gave limits', () => {
    expect(admit(asked, undefined, unused)).toMatchObject({ reason: 'APPROVAL_AMOUNT', eyes: 'two' })
  })

  it('asks a person while the order is frozen', () => {
    expect(admit({ ...asked, isFrozen: true }, limits, unused)).toMatchObject({ reason: 'APPROVAL_FROZEN' })
  })

  it('never lets out by itself more in a day than the cap, whatever is asked', () => {
    const ask = fc.integer({ min: 1, max: 5000 })
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 40 }), (amounts) => {
        let day = { count: 0, amount: 0 }
        for (const amount of amounts) {
          const answer = admit({ ...asked, amount, cumulative: amount }, limits, { day, hour: { count: 0, amount: 0 } })
          if (answer.kind === 'auto') day = { count: day.count + 1, amount: day.amount + amount }
        }
        expect(day.amount).toBeLessThanOrEqual(limits.perDay.amount)
        expect(day.count).toBeLessThanOrEqual(limits.perDay.count)
      }),
    )
  })
})

describe('news of a refund of ours', () => {
  const kinds: readonly OwnNews[] = ['done', 'refused', 'abnormal', 'pending', 'denied']

  it('only moves along an edge of the machine', () => {
    for (const news of kinds) {
      for (const from of refundStates) {
        const { to } = ownRefundNews(news, from, false)
        if (to === undefined) continue
        const events = ['finish', 'refuse', 'accept', 'loseSight', 'reverse'] as const
        expect(events.map((event) => stepOf(refundMachine, from, event))).toContain(to)
      }
    }
  })

  it('takes money that is out for out in every state, and shows a person what contradicts our books', () => {
    for (const state of refundStates) {
      const { to = state, ticket } = ownRefundNews('done', state, false)
      expect(to).toBe('DONE')
      expect(ticket === undefined).toBe(['UNKNOWN', 'SUBMITTED', 'DONE'].includes(state))
    }
  })

  it('never ends a refund on a denial, and takes an unanswered refusal for no proof', () => {
    expect(ownRefundNews('denied', 'UNKNOWN', false)).toEqual({})
    expect(ownRefundNews('denied', 'SUBMITTED', false)).toEqual({ to: 'UNKNOWN' })
    expect(ownRefundNews('refused', 'UNKNOWN', false)).toEqual({ wake: true })
  })

  it('lets older news change nothing that newer news decided', () => {
    for (const news of kinds) expect(ownRefundNews(news, 'DONE', true)).toEqual({})
    expect(ownRefundNews('pending', 'REFUSED', true)).toEqual({})
  })
})
