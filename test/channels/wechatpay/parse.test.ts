import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseWechatpay } from '../../../modules/channels/wechatpay/parse.ts'
import { wechatpayVerifier } from '../../../modules/channels/wechatpay/verify.ts'
import { CHANNEL, eventOf, expectSound, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, aNotice, KEYS, parse, REFUND, SECRET, sign, TRANSACTION, verify } from './signed-notice.ts'

describe('what a WeChat Pay notice says', () => {
  it('a payment with a coupon counts the order’s total, not what the buyer paid', () => {
    expect(eventOf(parse('TRANSACTION.SUCCESS', TRANSACTION))).toEqual({
      channel: CHANNEL,
      eventId: 'EV-1',
      kind: 'payment',
      trust: 'fact',
      channelTxnId: '4200000000202611020000000001',
      outTradeNo: 'ORDER_0001',
      money: { amount: 10000, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    })
  })

  it('a total that is short stays short', () => {
    const short = { ...TRANSACTION, amount: { total: 9000, payer_total: 9000, currency: 'CNY' } }

    expect(eventOf(parse('TRANSACTION.SUCCESS', short)).money?.amount).toBe(9000)
  })

  it.each([
    ['SUCCESS', 'payment'],
    ['REFUND', 'refund'],
    ['NOTPAY', 'other'],
    ['USERPAYING', 'other'],
    ['CLOSED', 'closed'],
    ['REVOKED', 'closed'],
    ['PAYERROR', 'failed'],
    ['ACCEPT', 'other'],
    [undefined, 'unknown'],
  ])('trade_state %s is %s', (trade_state, kind) => {
    const event = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, trade_state }))

    expect(event).toMatchObject({ kind, outTradeNo: 'ORDER_0001' })
  })

  it('a refund is a single amount in fen, although its notice has no currency', () => {
    const event = eventOf(parse('REFUND.SUCCESS', REFUND))

    expect(event).toMatchObject({
      kind: 'refund',
      cumulative: false,
      money: { amount: 1000, currency: 'CNY' },
      refundNo: REFUND.out_refund_no,
      channelRefundId: REFUND.refund_id,
      channelTxnId: TRANSACTION.transaction_id,
    })
  })

  it('an event of the future is no news, whatever it holds', () => {
    expect(eventOf(parse('COUPON.USE', { ...TRANSACTION, transaction_id: 7.5, out_trade_no: 'a#b' }))).toEqual({
      channel: CHANNEL,
      eventId: 'EV-1',
      kind: 'other',
      trust: 'fact',
      code: 'COUPON.USE',
    })
  })

  it('the same notice sealed and signed anew, with a new field, is the same event', () => {
    const repeat = eventOf(parse('TRANSACTION.SUCCESS', { brand_new: 1, ...TRANSACTION }))

    expect(repeat).toEqual(eventOf(parse('TRANSACTION.SUCCESS', TRANSACTION)))
  })
})

describe('what cannot be read is kept and named', () => {
  it.each([
    ['amount.total', { amount: { total: 88.5, currency: 'CNY' } }],
    ['amount.total', { amount: { total: '8800', currency: 'CNY' } }],
    ['amount.total', { amount: { total: -1, currency: 'CNY' } }],
    ['amount.total', { amount: { payer_total: 8800 } }],
    ['amount.total', { amount: 8800 }],
    ['amount.currency', { amount: { total: 8800, currency: 'USD' } }],
    ['transaction_id', { transaction_id: 4.2 }],
    ['transaction_id', { transaction_id: 'a#b' }],
  ])('%s: %j', (field, change) => {
    expect(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, ...change })).toMatchObject({
      ok: false,
      eventId: 'EV-1',
      field,
    })
  })

  it('content whose APIv3 key is gone is kept under its own id', () => {
    const verified = verifiedOf(verify(sign(aNotice('TRANSACTION.SUCCESS', TRANSACTION))))
    const later = wechatpayVerifier.readKeys(JSON.stringify({ ...SECRET, apiV3Keys: ['x'.repeat(32)] }))

    expect(parseWechatpay(verified, ACCOUNT, later)).toMatchObject({ ok: false, eventId: 'EV-1', field: 'resource' })
  })
})

describe('any content', () => {
  it('is read or named, and never thrown', () => {
    const type = fc.constantFrom('TRANSACTION.SUCCESS', 'REFUND.SUCCESS', 'REFUND.CLOSED', 'NEW.EVENT')
    const name = fc.constantFrom(...Object.keys({ ...TRANSACTION, ...REFUND }))
    const verified = verifiedOf(verify(sign(aNotice('TRANSACTION.SUCCESS', TRANSACTION))))
    fc.assert(
      fc.property(type, name, fc.jsonValue(), (kind, field, value) => {
        const body = Buffer.from(aNotice(kind, { ...REFUND, ...TRANSACTION, [field]: value }))
        expectSound(parseWechatpay({ ...verified, body }, ACCOUNT, KEYS))
      }),
    )
  })

  it('that is not even text is named', () => {
    const verified = verifiedOf(verify(sign(aNotice('TRANSACTION.SUCCESS', TRANSACTION))))
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expectSound(parseWechatpay({ ...verified, body: Buffer.from(body) }, ACCOUNT, KEYS))
      }),
    )
  })
})
