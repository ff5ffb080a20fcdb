import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAlipay } from '../../../modules/channels/alipay/parse.ts'
import { CHANNEL, eventOf, eventsOf, expectSound, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, encode, KEYS, PAYMENT, type Parameters, parse, signForm, verify } from './signed-notice.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const REFUND: Parameters = {
  ...PAYMENT,
  refund_fee: '10.00',
  out_biz_no: REFUND_NO,
  gmt_refund: '2026-11-02 09:59:58.123',
}

const without = (parameters: Parameters, ...names: readonly string[]): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)))

describe('what an Alipay notice says', () => {
  it('a payment is the order’s total in yuan, at the Beijing time of the payment', () => {
    const event = eventOf(parse({ ...PAYMENT, receipt_amount: '80.00', buyer_pay_amount: '79.00' }))

    expect(event).toEqual({
      channel: CHANNEL,
      eventId: '2026110222001400000000000001/TRADE_SUCCESS',
      kind: 'payment',
      trust: 'fact',
      channelTxnId: '2026110222001400000000000001',
      outTradeNo: 'ORDER_0001',
      money: { amount: 8800, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    })
  })

  it('TRADE_CLOSED of a trade that nobody paid closes it', () => {
    const event = eventOf(parse({ ...without(PAYMENT, 'gmt_payment'), trade_status: 'TRADE_CLOSED' }))

    expect(event).toMatchObject({ kind: 'closed', outTradeNo: 'ORDER_0001' })
    expect(event.money).toBeUndefined()
  })

  it('every kind of event of one payment has one number', () => {
    const notices = [
      PAYMENT,
      { ...PAYMENT, trade_status: 'TRADE_FINISHED' },
      { ...PAYMENT, trade_status: 'WAIT_BUYER_PAY' },
      { ...without(PAYMENT, 'gmt_payment'), trade_status: 'TRADE_CLOSED' },
      { ...PAYMENT, trade_status: 'TRADE_BRAND_NEW' },
      REFUND,
    ]

    const events = notices.flatMap((notice) => eventsOf(parse(notice)))

    expect(events.map((event) => event.kind)).toEqual([
      'payment',
      'payment',
      'other',
      'closed',
      'unknown',
      'payment',
      'refund',
    ])
    expect(new Set(events.map((event) => event.channelTxnId))).toEqual(new Set([PAYMENT['trade_no']]))
  })

  it('a refund of nothing is a payment', () => {
    expect(eventOf(parse({ ...PAYMENT, refund_fee: '0.00' })).kind).toBe('payment')
  })
})

describe('the same notice once more', () => {
  it('with another time, another notice number, another order and a new field is the same event', () => {
    const repeat = { brand_new: '1', ...PAYMENT, notify_time: '2026-11-02 13:59:58', notify_id: '9'.repeat(34) }

    expect(eventOf(parse(repeat))).toEqual(eventOf(parse(PAYMENT)))
  })

  it('two refunds of one payment, a payment and its close are different events', () => {
    const ids = [
      PAYMENT,
      REFUND,
      { ...REFUND, out_biz_no: 'second', refund_fee: '20.00' },
      { ...without(REFUND, 'out_biz_no'), refund_fee: '30.00' },
      { ...without(REFUND, 'out_biz_no'), refund_fee: '40.00' },
      { ...PAYMENT, trade_status: 'TRADE_FINISHED' },
    ].map((notice) => eventsOf(parse(notice)).at(-1)?.eventId)

    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('what cannot be read is kept and named', () => {
  it.each([
    ['total_amount', { total_amount: '88.001' }],
    ['total_amount', { total_amount: '1E2' }],
    ['total_amount', { total_amount: '-88.00' }],
    ['total_amount', { total_amount: '88,00' }],
    ['total_amount', { total_amount: ' 88.00' }],
    ['total_amount', { total_amount: '' }],
    ['trade_no', { trade_no: 'a#b' }],
    ['charset', { charset: 'utf-16' }],
  ])('%s: %j', (field, change) => {
    const parsed = parse({ ...PAYMENT, ...change })

    expect(parsed).toMatchObject({ ok: false, field, eventId: expect.stringMatching(/^[\x21\x22\x24-\x7e]{1,128}$/) })
  })
})

describe('any content', () => {
  it('is read or named, and never thrown', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.double().map(String), fc.constant('gbk'))
    const status = fc.constantFrom('TRADE_SUCCESS', 'TRADE_FINISHED', 'TRADE_CLOSED', 'WAIT_BUYER_PAY')
    const verified = verifiedOf(verify(encode(signForm(PAYMENT))))
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(REFUND)), value, status, (name, text, trade_status) => {
        const { body } = encode({ ...REFUND, trade_status, [name]: text })
        expectSound(parseAlipay({ ...verified, body }, ACCOUNT, KEYS))
      }),
    )
  })

  it('that is not even a form is named', () => {
    const verified = verifiedOf(verify(encode(signForm(PAYMENT))))
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expectSound(parseAlipay({ ...verified, body: Buffer.from(body) }, ACCOUNT, KEYS))
      }),
    )
  })
})
