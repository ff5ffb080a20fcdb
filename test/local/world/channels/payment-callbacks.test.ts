import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { instantOf } from '../../../../modules/core/instant.ts'
import { only, simulate } from './simulation.ts'

const CHANNELS = ['stripe', 'partner', 'alipay', 'wechatpay']

describe.each(CHANNELS)('a payment at %s', (channel) => {
  it('reaches Backstop as a payment of the same money and numbers', async () => {
    const simulation = await simulate([channel])

    const paid = await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.idle()

    const event = simulation.read(only(simulation.received))
    expect(paid.status).toBe(200)
    expect(event).toMatchObject({
      channel,
      kind: 'payment',
      outTradeNo: 'ORDER_0001',
      channelTxnId: paid.body['channelTxnId'],
      money: { amount: 8800, currency: 'CNY' },
    })
    const payment = only(await simulation.payments(channel))
    expect(payment).toMatchObject({ status: 'paid', paidAmount: 8800, channelTxnId: paid.body['channelTxnId'] })
    expect(only(payment.notices)).toMatchObject({ status: 'acked', attempts: 1 })
  })
})

describe.each(CHANNELS)('a time of payment at %s', (channel) => {
  it('is the clock of the simulation to the second', async () => {
    const simulation = await simulate([channel])
    simulation.clock.leapTo(Date.UTC(2031, 4, 1, 12))

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.idle()

    const { paidAt } = simulation.read(only(simulation.received))
    expect(paidAt?.slice(0, 17)).toBe(instantOf(Date.UTC(2031, 4, 1, 12)).slice(0, 17))
  })
})

describe('the official libraries', () => {
  it('accept an event of stripe, which is pretty-printed', async () => {
    const simulation = await simulate(['stripe'])
    await simulation.control('stripe', 'pay', { outTradeNo: 'ORDER_0001', amount: 500, currency: 'EUR' })
    await simulation.idle()
    const { headers, body } = only(simulation.received)
    const { signingSecrets } = JSON.parse(simulation.simulators.secrets['stripe'] ?? '')

    const event = Stripe.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', signingSecrets[0])

    expect(event).toMatchObject({ type: 'payment_intent.succeeded', livemode: false })
    expect(body.toString()).toContain('\n  "object": "event"')
  })

  it('accept a webhook of the partner', async () => {
    const simulation = await simulate(['partner'])
    await simulation.control('partner', 'pay', { outTradeNo: 'ORDER_0001', amount: 500, currency: 'EUR' })
    await simulation.idle()
    const { headers, body } = only(simulation.received)
    const { secrets } = JSON.parse(simulation.simulators.secrets['partner'] ?? '')

    const message = new Webhook(secrets[0]).verify(body, headers)

    expect(message).toMatchObject({ type: 'payment.succeeded', data: { order_no: 'ORDER_0001', amount: 500 } })
  })
})

describe.each([
  ['stripe', 'ISK', 8800],
  ['stripe', 'JPY', 8800],
  ['stripe', 'KWD', 8810],
  ['stripe', 'MGA', 8800],
  ['partner', 'JPY', 8800],
])('money of %s in %s', (channel, currency, amount) => {
  it('arrives in ISO minor units', async () => {
    const simulation = await simulate([channel])

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount, currency })
    await simulation.idle()

    expect(simulation.read(only(simulation.received)).money).toEqual({ amount, currency })
  })
})
