import { expect, it } from 'vitest'
import type { Parsed } from '../../modules/channels/channel.ts'
import { parse as adyen } from './adyen/signed-webhook.ts'
import { parse as alipay, PAYMENT } from './alipay/signed-notice.ts'
import { eventOf, eventsOf } from './message-setup.ts'
import { CAPTURE, parse as paypal } from './paypal/signed-event.ts'
import { aMessage, parse as standardWebhooks } from './standard-webhooks/signed-webhook.ts'
import { anEvent, parse as stripe } from './stripe/signed-event.ts'
import { REFUND as WECHATPAY_REFUND, parse as wechatpay } from './wechatpay/signed-notice.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const STRIPE_REFUND = {
  id: 're_1',
  payment_intent: 'pi_1',
  amount: 1000,
  currency: 'cny',
  metadata: { refund_no: REFUND_NO },
}
const PAYPAL_REFUND = {
  id: 'REFUND1',
  amount: { currency_code: 'USD', value: '10.00' },
  invoice_id: REFUND_NO,
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${CAPTURE.id}` }],
}

type Told = readonly [string, Parsed | Promise<Parsed>]

/** Money that went back, by the channel's own word. */
const done: readonly Told[] = [
  ['Alipay, partly', alipay({ ...PAYMENT, refund_fee: '10.00' })],
  ['Alipay, in full', alipay({ ...PAYMENT, trade_status: 'TRADE_CLOSED', refund_fee: '88.00' })],
  ['WeChat Pay SUCCESS', wechatpay('REFUND.SUCCESS', WECHATPAY_REFUND)],
  ['Stripe succeeded', stripe(anEvent('refund.updated', { ...STRIPE_REFUND, status: 'succeeded' }))],
  ['Adyen REFUND true', adyen({ eventCode: 'REFUND', originalReference: 'PSP1' })],
  ['PayPal CAPTURE.REFUNDED', paypal('PAYMENT.CAPTURE.REFUNDED', { ...PAYPAL_REFUND, status: 'COMPLETED' })],
  ['a Standard Webhooks sender', standardWebhooks(aMessage('refunded'))],
]

/** Refused, not yet, or a word that nobody knows: no money has moved, and the refund's own question decides. */
const notDone: readonly Told[] = [
  ...['pending', 'requires_action', 'failed', 'canceled', 'foo', '', undefined].map(
    (status): Told => [`Stripe ${status}`, stripe(anEvent('refund.updated', { ...STRIPE_REFUND, status }))],
  ),
  ['Stripe refund.failed', stripe(anEvent('refund.failed', { ...STRIPE_REFUND, status: 'failed' }))],
  ['Adyen REFUND false', adyen({ eventCode: 'REFUND', success: 'false', originalReference: 'PSP1' })],
  ['Adyen REFUND maybe', adyen({ eventCode: 'REFUND', success: 'maybe', originalReference: 'PSP1' })],
  ['Adyen by a code of the future', adyen({ eventCode: 'REFUND_FOO', originalReference: 'PSP1' })],
  ['PayPal REFUND.PENDING', paypal('PAYMENT.REFUND.PENDING', { ...PAYPAL_REFUND, status: 'PENDING' })],
  ['PayPal REFUND.FAILED', paypal('PAYMENT.REFUND.FAILED', { ...PAYPAL_REFUND, status: 'FAILED' })],
  ['PayPal by an event of the future', paypal('PAYMENT.REFUND.FOO', PAYPAL_REFUND)],
]

it.each(done)('%s: money went back, with its sum', async (_name, parsed) => {
  expect(eventsOf(await parsed).at(-1)).toMatchObject({ kind: 'refund', money: { amount: expect.any(Number) } })
})

it.each(notDone)('%s: no money has moved, and nothing failed for good', async (_name, parsed) => {
  const event = eventOf(await parsed)

  expect(['other', 'unknown', 'refund']).toContain(event.kind)
  expect(event.undo?.state).not.toBe('done')
})

it('a refund that Adyen took back is one that came back to us', () => {
  const event = eventOf(adyen({ eventCode: 'REFUND_FAILED', originalReference: 'PSP1' }))

  expect(event.undo).toMatchObject({ form: 'one', state: 'reversed' })
})
