import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePaypal } from '../../../modules/channels/paypal/parse.ts'
import { readPaypalMoney } from '../../../modules/channels/paypal/read-fields.ts'
import { eventOf, expectSound, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, anEvent, CAPTURE, parse, signEvent, verify } from './signed-event.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const REFUND = {
  id: 'REFUND1',
  status: 'COMPLETED',
  amount: { currency_code: 'USD', value: '10.00' },
  invoice_id: REFUND_NO,
  links: [
    { rel: 'self', href: 'https://api.paypal.com/v2/payments/refunds/REFUND1' },
    { rel: 'up', href: 'https://api.paypal.com/v2/payments/captures/CAPTURE1' },
  ],
}

it('a completed capture is a payment, and a hint: its figures can be altered under the signature', async () => {
  expect(eventOf(await parse('PAYMENT.CAPTURE.COMPLETED'))).toEqual({
    channel: ACCOUNT.id,
    eventId: 'WH-1',
    kind: 'payment',
    trust: 'hint',
    outTradeNo: 'ORDER_0001',
    channelTxnId: 'CAPTURE1',
    money: { amount: 8800, currency: 'USD' },
    paidAt: '2026-11-02T01:59:52.000Z',
  })
})

const DISPUTE = {
  dispute_id: 'PP-D-1',
  disputed_transactions: [{ seller_transaction_id: 'CAPTURE1', custom: 'ORDER_0001' }],
  seller_response_due_date: '2026-11-15T03:00:00.000Z',
}
const COMPLETED_ORDER = { id: 'O', purchase_units: [{ ...CAPTURE, payments: { captures: [{ id: 'CAPTURE1' }] } }] }

it.each([
  ['PAYMENT.CAPTURE.PENDING', CAPTURE, { kind: 'payment', channelTxnId: 'CAPTURE1', outTradeNo: 'ORDER_0001' }],
  ['PAYMENT.CAPTURE.DENIED', CAPTURE, { kind: 'failed', outTradeNo: 'ORDER_0001' }],
  ['PAYMENT.CAPTURE.DECLINED', CAPTURE, { kind: 'failed', outTradeNo: 'ORDER_0001' }],
  [
    'PAYMENT.CAPTURE.REFUNDED',
    REFUND,
    { kind: 'refund', channelTxnId: 'CAPTURE1', channelRefundId: 'REFUND1', refundNo: REFUND_NO },
  ],
  ['PAYMENT.CAPTURE.REVERSED', REFUND, { kind: 'refund', channelTxnId: 'CAPTURE1', money: { amount: 1000 } }],
  ['PAYMENT.REFUND.PENDING', REFUND, { kind: 'refund', channelTxnId: 'CAPTURE1', channelRefundId: 'REFUND1' }],
  ['PAYMENT.REFUND.FAILED', REFUND, { kind: 'refund', channelTxnId: 'CAPTURE1', refundNo: REFUND_NO }],
  [
    'CUSTOMER.DISPUTE.CREATED',
    DISPUTE,
    { kind: 'dispute', channelTxnId: 'CAPTURE1', undo: { id: 'PP-D-1', dueAt: '2026-11-15T03:00:00.000Z' } },
  ],
  ['RISK.DISPUTE.CREATED', DISPUTE, { kind: 'dispute', channelTxnId: 'CAPTURE1', outTradeNo: 'ORDER_0001' }],
  ['CHECKOUT.ORDER.APPROVED', { id: 'O', purchase_units: [CAPTURE] }, { kind: 'other', outTradeNo: 'ORDER_0001' }],
  [
    'CHECKOUT.ORDER.COMPLETED',
    COMPLETED_ORDER,
    { kind: 'payment', channelTxnId: 'CAPTURE1', outTradeNo: 'ORDER_0001' },
  ],
  ['FOO', {}, { kind: 'unknown', code: 'FOO' }],
  ['a text with blanks', {}, { kind: 'unknown', code: 'a_text_with_blanks' }],
])('%s', async (type, resource, expected) => {
  expect(eventOf(await parse(type, resource))).toMatchObject({ ...expected, trust: 'hint' })
})

it('the number that can be ours is taken: custom_id, else invoice_id', async () => {
  const outTradeNoOf = async (changes: object) =>
    eventOf(await parse('PAYMENT.CAPTURE.COMPLETED', { ...CAPTURE, ...changes })).outTradeNo

  expect(await outTradeNoOf({ custom_id: 'a text with blanks' })).toBe('INVOICE-1')
  expect(await outTradeNoOf({ custom_id: undefined, invoice_id: undefined })).toBeUndefined()
})

it.each([
  ['no amount', { ...CAPTURE, amount: undefined }],
  ['a number for an amount', { ...CAPTURE, amount: { currency_code: 'USD', value: 88 } }],
  ['a time that is none', { ...CAPTURE, create_time: '2026-11-02T01:59:60Z' }],
])('a payment with %s is asked about all the same: its figures decide nothing', async (_what, resource) => {
  expect(eventOf(await parse('PAYMENT.CAPTURE.COMPLETED', resource))).toMatchObject({
    kind: 'payment',
    trust: 'hint',
    channelTxnId: 'CAPTURE1',
    outTradeNo: 'ORDER_0001',
  })
})

it('a payment that names no capture is kept for a person, with the field’s name', async () => {
  const parsed = await parse('PAYMENT.CAPTURE.COMPLETED', { ...CAPTURE, id: undefined })

  expect(parsed).toMatchObject({ ok: false, eventId: 'WH-1', field: 'resource.id' })
})

it('a refund that names its capture only among its related ids is found by it', async () => {
  const supplementary_data = { related_ids: { capture_id: 'CAPTURE7' } }

  expect(eventOf(await parse('PAYMENT.CAPTURE.REFUNDED', { ...REFUND, links: [], supplementary_data }))).toMatchObject({
    channelTxnId: 'CAPTURE7',
  })
})

it('a capture over nothing is no payment', async () => {
  const amount = { currency_code: 'USD', value: '0.00' }

  expect(eventOf(await parse('PAYMENT.CAPTURE.COMPLETED', { ...CAPTURE, amount }))).toMatchObject({
    kind: 'other',
    code: 'AMOUNT_0',
  })
})

it('a refund whose payment is not named is kept for a person', async () => {
  const links = [{ rel: 'up', href: 'https://api.paypal.com/v2/payments/authorizations/A1' }]

  expect(await parse('PAYMENT.CAPTURE.REFUNDED', { ...REFUND, links })).toMatchObject({
    ok: false,
    field: 'resource.links.up',
  })
})

it.each([
  ['USD', '88.00', 8800],
  ['JPY', '8800', 8800],
  ['HUF', '8800', 880000],
  ['TWD', '8800.00', 880000],
  ['TWD', '8800.50', undefined],
  ['JPY', '88.00', undefined],
  ['USD', '88.001', undefined],
  ['USD', '-88.00', undefined],
  ['USD', '1e3', undefined],
  ['USD', '8,800.00', undefined],
  ['KWD', '8.800', undefined],
  ['XXX', '1', undefined],
])('%s %s of PayPal is %s in ISO minor units', (currency_code, value, minor) => {
  const read = () => readPaypalMoney({ path: 'amount', value: { currency_code, value } }).amount

  if (minor === undefined) expect(read).toThrow(expect.objectContaining({ name: 'UnreadableFieldError' }))
  else expect(read()).toBe(minor)
})

it('no signed content throws', async () => {
  const verified = verifiedOf(await verify(signEvent(anEvent('FOO'))))
  fc.assert(
    fc.property(
      fc.constantFrom('PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.REFUNDED', 'PAYMENT.CAPTURE.REVERSED', 'FOO'),
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...Object.keys({ ...CAPTURE, ...REFUND })), fc.jsonValue()),
      ),
      (type, resource) =>
        expectSound(parsePaypal({ ...verified, body: Buffer.from(anEvent(type, resource)) }, ACCOUNT, {})),
    ),
  )
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) =>
      expectSound(parsePaypal({ ...verified, body: Buffer.from(bytes) }, ACCOUNT, {})),
    ),
  )
})
