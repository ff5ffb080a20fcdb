import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moneyFromStripe } from '../../../modules/channels/stripe/amounts.ts'
import { parseStripe } from '../../../modules/channels/stripe/parse.ts'
import { CHANNEL, eventOf, expectSound, NOW, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, anEvent, INTENT, KEYS, parse, sign, verify } from './signed-event.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const CHARGE = { id: 'ch_1', payment_intent: 'pi_1', amount: 8800, amount_refunded: 1000, currency: 'cny' }
const REFUND = {
  id: 're_1',
  payment_intent: 'pi_1',
  charge: 'ch_1',
  amount: 1000,
  currency: 'cny',
  status: 'succeeded',
  metadata: { refund_no: REFUND_NO },
}
const SESSION = {
  id: 'cs_1',
  mode: 'payment',
  payment_intent: 'pi_1',
  payment_status: 'paid',
  amount_total: 8800,
  currency: 'cny',
  client_reference_id: 'ORDER_0001',
  metadata: {},
}
const DISPUTE = { id: 'dp_1', payment_intent: 'pi_1', charge: 'ch_1', amount: 8800, currency: 'cny' }

describe('one payment has one number', () => {
  it.each([
    ['payment_intent.succeeded', INTENT, 'payment'],
    ['payment_intent.payment_failed', INTENT, 'other'],
    ['payment_intent.processing', INTENT, 'other'],
    ['payment_intent.requires_action', INTENT, 'other'],
    ['payment_intent.amount_capturable_updated', INTENT, 'other'],
    ['payment_intent.canceled', INTENT, 'closed'],
    ['checkout.session.completed', SESSION, 'payment'],
    ['checkout.session.async_payment_succeeded', SESSION, 'payment'],
    ['checkout.session.async_payment_failed', { ...SESSION, payment_status: 'unpaid' }, 'other'],
    ['charge.succeeded', CHARGE, 'other'],
    ['charge.refunded', CHARGE, 'refund'],
    ['charge.refund.updated', REFUND, 'refund'],
    ['refund.created', REFUND, 'refund'],
    ['refund.updated', REFUND, 'refund'],
    ['refund.failed', { ...REFUND, status: 'failed' }, 'refund'],
    ['charge.dispute.created', DISPUTE, 'dispute'],
    ['charge.dispute.closed', DISPUTE, 'dispute'],
  ])('%s is about pi_1', (type, object, kind) => {
    const event = eventOf(parse(anEvent(type, object)))

    expect(event).toMatchObject({ kind, channelTxnId: 'pi_1', channel: CHANNEL, eventId: 'evt_1', trust: 'fact' })
  })
})

describe('what a Stripe event says', () => {
  it('a payment counts what was received, at the time of the event', () => {
    const event = eventOf(parse(anEvent('payment_intent.succeeded', { ...INTENT, amount: 9900 })))

    expect(event).toEqual({
      channel: CHANNEL,
      eventId: 'evt_1',
      kind: 'payment',
      trust: 'fact',
      channelTxnId: 'pi_1',
      outTradeNo: 'ORDER_0001',
      money: { amount: 8800, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    })
  })

  it('a refused card is no end, since the same intent can still succeed', () => {
    expect(eventOf(parse(anEvent('payment_intent.payment_failed', INTENT))).kind).toBe('other')
  })

  it('a session is paid only when it says so', () => {
    const unpaid = anEvent('checkout.session.completed', { ...SESSION, payment_status: 'unpaid' })
    const subscription = { ...SESSION, mode: 'subscription', payment_intent: null }

    expect(eventOf(parse(unpaid))).toMatchObject({ kind: 'other' })
    expect(eventOf(parse(anEvent('checkout.session.completed', subscription)))).toMatchObject({ kind: 'other' })
  })

  it('a session names its order in metadata, else in client_reference_id', () => {
    const both = { ...SESSION, metadata: { order_no: 'ORDER_0002' } }

    expect(eventOf(parse(anEvent('checkout.session.completed', SESSION))).outTradeNo).toBe('ORDER_0001')
    expect(eventOf(parse(anEvent('checkout.session.completed', both))).outTradeNo).toBe('ORDER_0002')
  })

  it('a charge tells the running total of its refunds, a refund its own amount and numbers', () => {
    const total = eventOf(parse(anEvent('charge.refunded', CHARGE)))
    const single = eventOf(parse(anEvent('refund.updated', REFUND)))

    expect(total).toMatchObject({ money: { amount: 1000 }, cumulative: true })
    expect(single).toMatchObject({
      money: { amount: 1000 },
      cumulative: false,
      refundNo: REFUND_NO,
      channelRefundId: 're_1',
    })
  })

  it('a refund made by somebody else has no number of ours', () => {
    const event = eventOf(parse(anEvent('refund.created', { ...REFUND, metadata: { refund_no: 'theirs' } })))

    expect(event.refundNo).toBeUndefined()
    expect(event.channelRefundId).toBe('re_1')
  })

  it('a payment without an order number is still a payment', () => {
    const event = eventOf(parse(anEvent('payment_intent.succeeded', { ...INTENT, metadata: {} })))

    expect(event).toMatchObject({ kind: 'payment', channelTxnId: 'pi_1' })
    expect(event.outTradeNo).toBeUndefined()
  })

  it('the same event with other key order and a new field has the same id', () => {
    const first = JSON.parse(anEvent('payment_intent.succeeded', INTENT)) as Record<string, unknown>
    const second = Object.fromEntries(Object.entries({ ...first, brand_new: 1 }).reverse())

    expect(parse(JSON.stringify(second))).toEqual(parse(JSON.stringify(first)))
  })
})

describe('what cannot be read is kept and named', () => {
  it.each([
    ['data.object.amount_received', { amount_received: undefined }],
    ['data.object.amount_received', { amount_received: -1 }],
    ['data.object.amount_received', { amount_received: 88.5 }],
    ['data.object.amount_received', { amount_received: '8800' }],
    ['data.object.amount_received', { amount_received: 2 ** 53 }],
    ['data.object.amount_received', { amount_received: 5121, currency: 'kwd' }],
    ['data.object.amount_received', { amount_received: 880001, currency: 'isk' }],
    ['data.object.currency', { currency: 'xxx' }],
    ['data.object.currency', { currency: 'iqd' }],
    ['data.object.currency', { currency: 7 }],
    ['data.object.id', { id: 'pi_1#PAY' }],
    ['data.object.id', { id: `pi_${'1'.repeat(200)}` }],
    ['data.object.id', { id: 'ch_1' }],
  ])('%s: %j', (field, change) => {
    const parsed = parse(anEvent('payment_intent.succeeded', { ...INTENT, ...change }))

    expect(parsed).toMatchObject({ ok: false, eventId: 'evt_1', field, problem: expect.any(String), isMoney: true })
    expect(parsed).toMatchObject({ outTradeNo: 'ORDER_0001' })
  })

  it.each(['1E2', '8.8e3', '8800.0', '9007199254740990.6'])('an amount written as %s is not guessed', (written) => {
    const payload = anEvent('payment_intent.succeeded', INTENT).replace(
      '"amount_received":8800',
      `"amount_received":${written}`,
    )

    expect(parse(payload)).toMatchObject({ ok: false, field: 'data.object.amount_received' })
  })

  it('of an amount that stands twice the last counts, as the sender signed both', () => {
    const payload = anEvent('payment_intent.succeeded', INTENT).replace(
      '"amount_received":8800',
      '"amount_received":1,"amount_received":8800',
    )

    expect(eventOf(parse(payload)).money?.amount).toBe(8800)
  })

  it.each([253_402_300_800, 'yesterday', null])('a time of %s costs the time only', (created) => {
    const event = eventOf(parse(anEvent('payment_intent.succeeded', INTENT, { created })))

    expect(event).toMatchObject({ kind: 'payment', money: { amount: 8800 } })
    expect(event).not.toHaveProperty('paidAt')
  })

  it('an id that cannot stand in a key is replaced by its digest, the same each time', () => {
    const odd = parse(anEvent('x', INTENT, { id: 'evt#1' }))

    expect(eventOf(odd).eventId).toMatch(/^sha256-[0-9a-f]{64}$/)
    expect(parse(anEvent('x', { ...INTENT, more: 1 }, { id: 'evt#1' }))).toEqual(odd)
  })

  it('bytes that are no UTF-8 are not repaired', () => {
    const payload = anEvent('payment_intent.succeeded', INTENT)
    const verified = verifiedOf(verify(sign(payload)))
    const body = Buffer.from(payload.replace('ORDER_0001', 'ORDER_\u00ff'), 'latin1')

    expect(parseStripe({ ...verified, body }, ACCOUNT, KEYS)).toMatchObject({ ok: false, field: 'body' })
  })

  it('bytes that are no JSON object are filed under their digest', () => {
    expect(parse('[]')).toMatchObject({ ok: false, field: 'body', eventId: expect.stringMatching(/^sha256-/) })
  })
})

describe('amounts in the units of Stripe', () => {
  it.each([
    ['usd', 8800, 8800],
    ['cny', 1, 1],
    ['jpy', 8800, 8800],
    ['krw', 8800, 8800],
    ['kwd', 5120, 5120],
    ['bhd', 10, 10],
    ['isk', 880000, 8800],
    ['ugx', 500, 5],
    ['mga', 88, 8800],
    ['clp', 88, 88],
    ['idr', 880000, 880000],
    ['huf', 8850, 8850],
  ])('%s %i is %i ISO minor units', (currency, amount, minor) => {
    expect(moneyFromStripe(amount, currency)).toEqual({ amount: minor, currency: currency.toUpperCase() })
  })

  it.each([
    ['isk', 880050],
    ['ugx', 1],
    ['kwd', 5121],
    ['iqd', 5120],
    ['lyd', 5120],
    ['zzz', 100],
    ['__proto__', 100],
    ['mga', Number.MAX_SAFE_INTEGER],
  ])('%s %i is refused', (currency, amount) => {
    expect(moneyFromStripe(amount, currency)).toBeUndefined()
  })
})

describe('any content', () => {
  const types = fc.constantFrom(
    'payment_intent.succeeded',
    'payment_intent.canceled',
    'checkout.session.completed',
    'charge.refunded',
    'refund.created',
    'charge.dispute.created',
    'brand.new',
  )
  const names = fc.constantFrom(...Object.keys({ ...INTENT, ...CHARGE, ...REFUND, ...SESSION }))

  it('is read or named, and never thrown', () => {
    fc.assert(
      fc.property(types, names, fc.jsonValue(), fc.jsonValue(), (type, name, value, id) => {
        const object = { ...SESSION, ...CHARGE, ...REFUND, ...INTENT, [name]: value }
        expectSound(parse(anEvent(type, object, { id })))
      }),
    )
  })

  it('that is not even text is named', () => {
    const verified = verifiedOf(verify(sign('{}')))
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expectSound(parseStripe({ ...verified, receivedAt: NOW, body: Buffer.from(body) }, ACCOUNT, KEYS))
      }),
    )
  })
})
