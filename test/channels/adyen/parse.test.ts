import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moneyFromAdyen } from '../../../modules/channels/adyen/amounts.ts'
import { ADYEN_EVENTS } from '../../../modules/channels/adyen/events.ts'
import { parseAdyen } from '../../../modules/channels/adyen/parse.ts'
import { eventOf, expectSound, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, type Item, KEYS, message, parse, signItem, verify } from './signed-webhook.ts'

const PAYMENT_PSP = 'PSP0000000000001'
const REFUND_NO = `R${'A2'.repeat(12)}B`

it('an authorisation is a payment with its number, money and time', () => {
  expect(eventOf(parse({}))).toEqual({
    channel: ACCOUNT.id,
    eventId: 'PSP0000000000001/AUTHORISATION/true',
    kind: 'payment',
    trust: 'fact',
    outTradeNo: 'ORDER_0001',
    channelTxnId: PAYMENT_PSP,
    money: { amount: 10000, currency: 'CNY' },
    paidAt: '2026-11-02T01:59:57.000Z',
  })
})

it('a refused authorisation ends nothing: a later attempt on the same reference may succeed', () => {
  expect(eventOf(parse({ success: 'false' }))).toMatchObject({
    kind: 'other',
    outTradeNo: 'ORDER_0001',
    eventId: 'PSP0000000000001/AUTHORISATION/false',
  })
})

it('with manual capture only the capture is money', () => {
  const account = { ...ACCOUNT, capture: 'manual' } as const
  const capture: Item = { eventCode: 'CAPTURE', pspReference: 'CAPTURE1', originalReference: PAYMENT_PSP }

  expect(eventOf(parse({}, account))).toMatchObject({ kind: 'other' })
  expect(eventOf(parse(capture, account))).toMatchObject({ kind: 'payment', channelTxnId: PAYMENT_PSP })
})

it('every kind of event about one payment names that one payment', () => {
  for (const eventCode of ADYEN_EVENTS.keys()) {
    if (eventCode === 'NOTIFICATIONTEST') continue
    const item = { eventCode, pspReference: `MOD/${eventCode}`, originalReference: PAYMENT_PSP }
    expect(eventOf(parse(item)).channelTxnId).toBe(PAYMENT_PSP)
  }
})

describe('event codes', () => {
  it.each([
    ['CAPTURE', 'true', 'payment'],
    ['CAPTURE', 'false', 'other'],
    ['CAPTURE_FAILED', 'true', 'refund'],
    ['OFFER_CLOSED', 'true', 'other'],
    ['CANCELLATION', 'true', 'refund'],
    ['CANCELLATION', 'false', 'other'],
    ['TECHNICAL_CANCEL', 'true', 'closed'],
    ['TECHNICAL_CANCEL', 'false', 'other'],
    ['CANCEL_OR_REFUND', 'true', 'refund'],
    ['REFUND', 'false', 'refund'],
    ['REFUND_FAILED', 'false', 'other'],
    ['CHARGEBACK', 'true', 'dispute'],
    ['REQUEST_FOR_INFORMATION', 'true', 'dispute'],
    ['PENDING', 'true', 'other'],
    ['ORDER_CLOSED', 'true', 'other'],
    ['FOO', 'true', 'unknown'],
    ['AUTHORISATION', 'maybe', 'unknown'],
  ])('%s %s is %s', (eventCode, success, kind) => {
    expect(eventOf(parse({ eventCode, success, originalReference: PAYMENT_PSP }))).toMatchObject({ kind })
  })
})

it('a refund names its payment, our number and its own', () => {
  const item = {
    eventCode: 'REFUND',
    pspReference: 'REFUND1',
    originalReference: PAYMENT_PSP,
    merchantReference: REFUND_NO,
  }

  expect(eventOf(parse(item))).toMatchObject({
    kind: 'refund',
    channelTxnId: PAYMENT_PSP,
    refundNo: REFUND_NO,
    channelRefundId: 'REFUND1',
    money: { amount: 10000 },
    cumulative: false,
  })
})

it('money under a reference that no order can have is an orphan’s, not unreadable', () => {
  const event = eventOf(parse({ merchantReference: '订单 1' }))

  expect(event).toMatchObject({ kind: 'payment', channelTxnId: PAYMENT_PSP })
  expect(event).not.toHaveProperty('outTradeNo')
})

it.each([
  ['CNY', 8800, 8800],
  ['JPY', 8800, 8800],
  ['ISK', 880000, 8800],
  ['CLP', 880000, 8800],
  ['UGX', 8800, 8800],
  ['IDR', 8800, 880000],
  ['CVE', 88, 8800],
  ['HUF', 8800, 8800],
  ['KWD', 8800, 8800],
  ['IQD', 8800, 8800],
  ['ISK', 880050, undefined],
  ['BIF', 8800, undefined],
  ['MGA', 8800, undefined],
  ['XXX', 8800, undefined],
  ['EUR', -1, undefined],
])('%s %i of Adyen is %s in ISO minor units', (currency, amount, minor) => {
  expect(moneyFromAdyen(amount, currency)?.amount).toBe(minor)
})

it('an amount that is not certain is kept for a person, with the field’s name', () => {
  expect(parse({ amount: { value: 1, currency: 'MGA' } })).toMatchObject({
    ok: false,
    field: 'amount',
    eventId: 'PSP0000000000001/AUTHORISATION/true',
  })
})

it('several items are several events, and one that cannot be read keeps none of its neighbours back', () => {
  const read = (...items: readonly unknown[]) => parseAdyen(verifiedOf(verify(message(...items))), ACCOUNT, KEYS)
  const second = { pspReference: 'PSP2', merchantReference: 'ORDER_0002' }
  const unreadable = {
    eventId: 'PSP2/AUTHORISATION/true',
    field: 'amount',
    channelTxnId: 'PSP2',
    outTradeNo: 'ORDER_0002',
    isMoney: true,
  }

  expect(read(signItem(), signItem(second))).toMatchObject({
    events: [{ outTradeNo: 'ORDER_0001' }, { outTradeNo: 'ORDER_0002' }],
  })
  for (const items of [
    [signItem(), signItem({ ...second, amount: {} })],
    [signItem({ ...second, amount: {} }), signItem()],
  ]) {
    expect(read(...items)).toMatchObject({ events: [{ outTradeNo: 'ORDER_0001' }], unreadable: [unreadable] })
  }
})

describe('money that was undone', () => {
  const told = (item: Item) => eventOf(parse({ originalReference: PAYMENT_PSP, pspReference: 'MOD1', ...item })).undo

  it.each(['CANCELLATION', 'TECHNICAL_CANCEL', 'CAPTURE_FAILED', 'EXPIRE'])(
    '%s is all of the payment that it names',
    (eventCode) => {
      expect(told({ eventCode })).toMatchObject({ form: 'all', state: 'done' })
      expect(eventOf(parse({ eventCode, originalReference: PAYMENT_PSP })).channelTxnId).toBe(PAYMENT_PSP)
    },
  )

  it('the rest of an authorisation expires with manual capture, and what was captured stays', () => {
    const account = { ...ACCOUNT, capture: 'manual' } as const
    expect(eventOf(parse({ eventCode: 'EXPIRE' }, account))).not.toHaveProperty('undo')
  })

  it('an answer to our own close that names no payment ends the try and undoes nothing', () => {
    const event = eventOf(parse({ eventCode: 'TECHNICAL_CANCEL', pspReference: 'MOD1', originalReference: '' }))
    expect(event).toMatchObject({ kind: 'closed', outTradeNo: 'ORDER_0001' })
    expect(event).not.toHaveProperty('undo')
    expect(event).not.toHaveProperty('channelTxnId')
  })

  it.each([
    ['REFUND', 'true', 'done'],
    ['REFUND', 'false', 'failed'],
    ['REFUND_FAILED', 'true', 'reversed'],
    ['REFUNDED_REVERSED', 'true', 'reversed'],
    ['POSTPONED_REFUND', 'true', 'pending'],
    ['NOTIFICATION_OF_CHARGEBACK', 'true', 'pending'],
    ['CHARGEBACK', 'true', 'done'],
    ['PREARBITRATION_LOST', 'true', 'done'],
    ['CHARGEBACK_REVERSED', 'true', 'reversed'],
  ])('%s %s is one movement, %s, with its own number', (eventCode, success, state) => {
    expect(told({ eventCode, success })).toMatchObject({ form: 'one', state, id: 'MOD1', money: { amount: 10000 } })
  })

  it('a cancel or refund says how much only by an amount', () => {
    expect(told({ eventCode: 'CANCEL_OR_REFUND' })).toMatchObject({ form: 'one', money: { amount: 10000 } })
    expect(told({ eventCode: 'CANCEL_OR_REFUND', amount: {} })).toEqual({ form: 'amountUnknown', state: 'done' })
  })

  it('a question of the scheme takes no money and has a day to answer by', () => {
    const additionalData = { defensePeriodEndsAt: '2026-12-01T10:00:00+01:00' }
    expect(told({ eventCode: 'REQUEST_FOR_INFORMATION', additionalData })).toMatchObject({
      form: 'one',
      state: 'pending',
      money: { amount: 0 },
      dueAt: '2026-12-01T09:00:00.000Z',
    })
  })
})

it.each(['test_AUTHORISATION_1', 'test_REFUND_2'])('%s is a test of the channel, whatever it tells', (pspReference) => {
  expect(eventOf(parse({ pspReference, amount: {} }))).toMatchObject({ kind: 'probe' })
})

it('an authorisation over nothing is a stored card and no payment', () => {
  expect(eventOf(parse({ amount: { value: 0, currency: 'CNY' } }))).toMatchObject({ kind: 'other', code: 'AMOUNT_0' })
})

it('no signed content throws', () => {
  const word = fc.string().filter((text) => !text.includes(':'))
  fc.assert(
    fc.property(
      fc.record(
        {
          pspReference: word,
          originalReference: word,
          merchantReference: fc.string(),
          eventCode: fc.oneof(word, fc.constantFrom(...ADYEN_EVENTS.keys())),
          eventDate: fc.string(),
          amount: fc.record({ value: fc.integer(), currency: fc.constantFrom('EUR', 'ISK', 'IDR', '', 'x') }),
        },
        { requiredKeys: [] },
      ),
      (changes) => expectSound(parse(changes)),
    ),
  )
})
