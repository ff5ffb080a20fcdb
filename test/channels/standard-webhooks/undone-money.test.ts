import { describe, expect, it } from 'vitest'
import type { StandardWebhooksAccount } from '../../../modules/channels/account.ts'
import { eventOf } from '../message-setup.ts'
import { ACCOUNT, aMessage, DATA, parse } from './signed-webhook.ts'

const OUR_REFUND = `R${'A2'.repeat(12)}B`
const mappedTo = (change: Partial<StandardWebhooksAccount['mapping']>): StandardWebhooksAccount => ({
  ...ACCOUNT,
  mapping: { ...ACCOUNT.mapping, ...change },
})

describe('a refund', () => {
  it('is one movement by the sender’s number, at the time of the sending', () => {
    expect(eventOf(parse(aMessage('refunded'))).undo).toEqual({
      form: 'one',
      state: 'done',
      id: 'theirs-1',
      money: { amount: 8800, currency: 'CNY' },
      at: '2026-11-02T02:00:00.000Z',
    })
  })

  it('is a running sum where the mapping says so', () => {
    const event = eventOf(parse(aMessage('refunded'), mappedTo({ refundForm: 'sum' })))

    expect(event).toMatchObject({ kind: 'refund', cumulative: true, undo: { form: 'sum', money: { amount: 8800 } } })
  })

  it.each([OUR_REFUND, `${OUR_REFUND}-1`])('by %s is ours', (refund_no) => {
    expect(eventOf(parse(aMessage('refunded', { ...DATA, refund_no }))).refundNo).toBe(OUR_REFUND)
  })

  it.each([
    ['no amount', { amount: undefined }],
    ['an amount that is a text', { amount: '8800' }],
    ['a currency that nobody knows', { currency: 'RMB' }],
  ])('with %s has gone back by an unknown amount', (_what, change) => {
    const event = eventOf(parse(aMessage('refunded', { ...DATA, ...change })))

    expect(event).toMatchObject({ kind: 'refund', channelTxnId: 'txn_1', undo: { form: 'amountUnknown' } })
    expect(event.undo?.money).toBeUndefined()
  })
})

it.each([DATA, { ...DATA, amount: undefined }])('a dispute is pending, with its amount if it is told: %j', (data) => {
  const { kind, undo, money } = eventOf(parse(aMessage('disputed', data)))

  expect({ kind, form: undo?.form, state: undo?.state }).toEqual({ kind: 'dispute', form: 'one', state: 'pending' })
  expect(undo?.money).toEqual(money)
})

describe('the end of a try', () => {
  it('that names a transaction says that all of its money is gone', () => {
    expect(eventOf(parse(aMessage('payment.closed')))).toMatchObject({
      kind: 'closed',
      channelTxnId: 'txn_1',
      undo: { form: 'all', state: 'done' },
    })
  })

  it('that names none ends the try alone', () => {
    const event = eventOf(parse(aMessage('payment.closed', { order_no: 'ORDER_0001' })))

    expect(event).toMatchObject({ kind: 'closed', outTradeNo: 'ORDER_0001' })
    expect(event.undo).toBeUndefined()
  })

  it.each(['payment.closed', 'payment.failed'])('%s of a number that none of ours can be ends nothing', (type) => {
    expect(eventOf(parse(aMessage(type, { order_no: 'user 42 / cart' }))).kind).toBe('other')
  })
})

describe('no money is no payment', () => {
  it.each([
    [0, 'minor'],
    ['0', 'major'],
    ['0.00', 'major'],
  ] as const)('%j in %s units is recorded, and nothing else', (amount, unit) => {
    const event = eventOf(parse(aMessage('paid', { ...DATA, amount }), mappedTo({ unit })))

    expect(event).toMatchObject({ kind: 'other', code: 'AMOUNT_0' })
    expect(event.money).toBeUndefined()
  })
})

describe('what cannot be read costs no more than itself', () => {
  it.each(['1234567890123456789', '98765432109876543210987654321', '42'])(
    'a bare number %s is an id by its digits',
    (digits) => {
      const payload = aMessage('paid', { ...DATA, txn: 'HERE' }).replace('"HERE"', digits)

      expect(eventOf(parse(payload)).channelTxnId).toBe(digits)
    },
  )

  it.each(['1e21', '1.0', '-7'])('but %s is none', (number) => {
    const payload = aMessage('paid', { ...DATA, txn: 'HERE' }).replace('"HERE"', number)

    expect(parse(payload)).toMatchObject({ ok: false, field: 'data.txn', outTradeNo: 'ORDER_0001', isMoney: true })
  })

  it.each(['2026-11-02T09:59:60Z', '2026-11-02 09:59:57', 1793584797, null])(
    'a payment at %j has no time',
    (paid_at) => {
      const event = eventOf(parse(aMessage('paid', { ...DATA, paid_at })))

      expect(event).toMatchObject({ kind: 'payment', money: { amount: 8800 } })
      expect(event.paidAt).toBeUndefined()
    },
  )

  it.each(['x'.repeat(81), { a: 1 }, 'user 42 / cart', null])('a reference %j is none of ours', (order_no) => {
    const event = eventOf(parse(aMessage('paid', { ...DATA, order_no })))

    expect(event).toMatchObject({ kind: 'payment', channelTxnId: 'txn_1' })
    expect(event.outTradeNo).toBeUndefined()
  })

  it('an amount that is a text keeps the numbers of its payment', () => {
    expect(parse(aMessage('paid', { ...DATA, amount: '8800' }))).toMatchObject({
      ok: false,
      field: 'data.amount',
      outTradeNo: 'ORDER_0001',
      channelTxnId: 'txn_1',
      isMoney: true,
    })
  })
})

describe('a type', () => {
  it('that is listed as ignored is recorded', () => {
    expect(eventOf(parse(aMessage('customer.created'))).kind).toBe('other')
  })

  it.each(['brand.new', 'PAID', 'paid ', '', 'constructor'])('%j that no list names is unknown', (type) => {
    expect(eventOf(parse(aMessage(type)))).toMatchObject({
      kind: 'unknown',
      code: expect.stringMatching(/^[\x21-\x7e]+$/),
    })
  })
})
