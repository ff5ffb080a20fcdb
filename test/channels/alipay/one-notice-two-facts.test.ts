import { describe, expect, it } from 'vitest'
import type { ChannelEvent } from '../../../modules/core/channel-event.ts'
import { PAYMENT, type Parameters, parse } from './signed-notice.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const { gmt_payment: _, ...UNPAID } = PAYMENT

function eventsOf(parameters: Parameters): readonly ChannelEvent[] {
  const parsed = parse(parameters)
  return parsed.ok ? parsed.events : expect.unreachable(`unreadable: ${parsed.field}`)
}

describe('a notice that tells of a refund', () => {
  it.each(['TRADE_SUCCESS', 'TRADE_FINISHED', 'TRADE_CLOSED'])(
    '%s is the payment of all, and the sum that has gone back so far',
    (trade_status) => {
      const refunded = { refund_fee: '30.00', out_biz_no: 'shop-7', gmt_refund: '2026-11-03 11:00:00.123' }

      const [payment, refund, ...others] = eventsOf({ ...PAYMENT, ...refunded, trade_status })

      expect(others).toEqual([])
      expect(payment).toMatchObject({
        kind: 'payment',
        money: { amount: 8800 },
        paidAt: '2026-11-02T01:59:57.000Z',
        outTradeNo: 'ORDER_0001',
      })
      expect(payment?.undo).toBeUndefined()
      expect(refund).toMatchObject({
        kind: 'refund',
        channelTxnId: PAYMENT['trade_no'],
        channelRefundId: 'shop-7',
        undo: {
          form: 'sum',
          state: 'done',
          id: 'shop-7',
          money: { amount: 3000, currency: 'CNY' },
          at: '2026-11-03T03:00:00.123Z',
        },
      })
      expect(refund?.refundNo).toBeUndefined()
    },
  )

  it('two statuses with one sum and one number are one event', () => {
    const refunded = { ...PAYMENT, refund_fee: '30.00', out_biz_no: 'shop-7' }

    const ids = ['TRADE_SUCCESS', 'TRADE_FINISHED', 'TRADE_CLOSED'].map(
      (trade_status) => eventsOf({ ...refunded, trade_status }).find(({ kind }) => kind === 'refund')?.eventId,
    )

    expect(new Set(ids).size).toBe(1)
  })

  it('of the same number and a larger sum is another event, and so is another number', () => {
    const ids = [
      { refund_fee: '30.00', out_biz_no: 'a' },
      { refund_fee: '40.00', out_biz_no: 'a' },
      { refund_fee: '40.00', out_biz_no: 'b' },
      { refund_fee: '40.00' },
    ].map((refunded) => eventsOf({ ...PAYMENT, ...refunded })[1]?.eventId)

    expect(new Set(ids).size).toBe(4)
  })

  it.each([REFUND_NO, `${REFUND_NO}-1`, `${REFUND_NO}-12`])('by our own number %s names our refund', (out_biz_no) => {
    expect(eventsOf({ ...PAYMENT, refund_fee: '30.00', out_biz_no })[1]).toMatchObject({ refundNo: REFUND_NO })
  })

  it.each([`${REFUND_NO}-`, `${REFUND_NO}-x`, `${REFUND_NO}A`, 'R', '-1'])('by %s names none of ours', (out_biz_no) => {
    expect(eventsOf({ ...PAYMENT, refund_fee: '30.00', out_biz_no })[1]?.refundNo).toBeUndefined()
  })

  it('takes the time of its news from the next best field', () => {
    const closed = { ...PAYMENT, trade_status: 'TRADE_CLOSED', refund_fee: '88.00' }

    expect(eventsOf({ ...closed, gmt_close: '2026-11-04 00:00:00' })[1]?.undo?.at).toBe('2026-11-03T16:00:00.000Z')
    expect(eventsOf(closed)[1]?.undo?.at).toBe('2026-11-02T01:59:58.000Z')
  })
})

describe('a notice that says that money went back and not how much', () => {
  it.each([
    ['closed after it was paid', { trade_status: 'TRADE_CLOSED' }],
    ['closed after it was paid, with a sum of nothing', { trade_status: 'TRADE_CLOSED', refund_fee: '0.00' }],
    ['with a sum that cannot be read', { refund_fee: '1e1' }],
    ['with a negative sum', { refund_fee: '-30.00' }],
  ])('%s: the payment stands, and the amount is unknown', (_what, change) => {
    const [payment, refund, ...others] = eventsOf({ ...PAYMENT, ...change })

    expect(others).toEqual([])
    expect(payment).toMatchObject({ kind: 'payment', money: { amount: 8800 } })
    expect(refund).toMatchObject({ kind: 'refund', undo: { form: 'amountUnknown', state: 'done' } })
    expect(refund?.undo?.money).toBeUndefined()
    expect(refund?.money).toBeUndefined()
  })

  it('closed and never paid is only closed', () => {
    expect(eventsOf({ ...UNPAID, trade_status: 'TRADE_CLOSED', refund_fee: '0.00' })).toMatchObject([
      { kind: 'closed', outTradeNo: 'ORDER_0001' },
    ])
  })
})

describe('no money is no payment', () => {
  it.each(['0', '0.0', '0.00'])('a notice over %s yuan is recorded, and nothing else', (total_amount) => {
    const events = eventsOf({ ...PAYMENT, total_amount })

    expect(events).toMatchObject([{ kind: 'other', code: 'AMOUNT_0' }])
    expect(events[0]?.money).toBeUndefined()
  })
})

describe('what cannot be read costs no more than itself', () => {
  it.each(['2026-11-02 09:59:60', '2026-02-30 09:00:00', '2026-11-02T09:59:57Z', 'soon'])(
    'a payment at %j has no time, and is one',
    (gmt_payment) => {
      const [payment] = eventsOf({ ...PAYMENT, gmt_payment })

      expect(payment).toMatchObject({ kind: 'payment', money: { amount: 8800 } })
      expect(payment?.paidAt).toBeUndefined()
    },
  )

  it('an amount that cannot be read keeps the refund beside it, and the numbers of the payment', () => {
    expect(parse({ ...PAYMENT, total_amount: '88,00', refund_fee: '30.00' })).toMatchObject({
      ok: true,
      events: [{ kind: 'refund', undo: { form: 'sum' } }],
      unreadable: [
        { field: 'total_amount', outTradeNo: 'ORDER_0001', channelTxnId: PAYMENT['trade_no'], isMoney: true },
      ],
    })
  })

  it.each(['订单', 'x'.repeat(81), 'user 42 / cart'])(
    'a number %j that none of ours can be is left out',
    (out_trade_no) => {
      const [payment] = eventsOf({ ...PAYMENT, out_trade_no })

      expect(payment).toMatchObject({ kind: 'payment', channelTxnId: PAYMENT['trade_no'] })
      expect(payment?.outTradeNo).toBeUndefined()
    },
  )
})

describe('what no table knows', () => {
  it.each([
    ['a status of the future', { trade_status: 'TRADE_FOO' }, 'TRADE_FOO'],
    ['a status in other letters', { trade_status: 'trade_success' }, 'trade_success'],
    [
      'a notice that is not about a trade',
      { trade_status: '', notify_type: 'servicemarket_order_notify' },
      'servicemarket_order_notify',
    ],
    ['a status with blanks', { trade_status: '交易 成功'.repeat(40) }, '_'],
  ])('%s is unknown, by its word', (_what, change, code) => {
    expect(eventsOf({ ...PAYMENT, ...change })).toMatchObject([{ kind: 'unknown', code, outTradeNo: 'ORDER_0001' }])
  })
})
