import { describe, expect, it } from 'vitest'
import { eventOf, verifiedOf } from '../message-setup.ts'
import { anEvent, INTENT, parse, sign, verify } from './signed-event.ts'

const SESSION = {
  id: 'cs_1',
  object: 'checkout.session',
  mode: 'payment',
  payment_intent: 'pi_1',
  payment_status: 'paid',
  amount_total: 8800,
  currency: 'cny',
  client_reference_id: 'ORDER_0001',
}

describe('no money is no payment', () => {
  it.each([
    ['payment_intent.succeeded', { ...INTENT, amount_received: 0 }],
    ['checkout.session.completed', { ...SESSION, amount_total: 0 }],
    ['checkout.session.completed', { ...SESSION, amount_total: 0, payment_intent: null }],
    ['checkout.session.async_payment_succeeded', { ...SESSION, amount_total: 0 }],
    ['checkout.session.completed', { ...SESSION, payment_status: 'no_payment_required' }],
    ['checkout.session.completed', { ...SESSION, mode: 'setup', payment_status: 'no_payment_required' }],
  ])('%s', (type, object) => {
    expect(eventOf(parse(anEvent(type, object)))).toMatchObject({ kind: 'other', outTradeNo: 'ORDER_0001' })
  })
})

describe('a reference that cannot be a number of ours is not one', () => {
  it.each(['user 42 / cart', 'A#B', '', '..', '注文1', 7.5, ['A'], { id: 1 }])('%j', (reference) => {
    const session = eventOf(
      parse(anEvent('checkout.session.completed', { ...SESSION, client_reference_id: reference })),
    )
    const intent = eventOf(parse(anEvent('payment_intent.succeeded', { ...INTENT, metadata: { order_no: reference } })))

    for (const event of [session, intent]) {
      expect(event).toMatchObject({ kind: 'payment', channelTxnId: 'pi_1' })
      expect(event).not.toHaveProperty('outTradeNo')
    }
  })

  it('a bare number keeps all its digits', () => {
    const text = anEvent('payment_intent.succeeded', { ...INTENT, metadata: { order_no: 0 } })

    expect(eventOf(parse(text.replace('"order_no":0', '"order_no":2026120100000000019'))).outTradeNo).toBe(
      '2026120100000000019',
    )
  })
})

describe('an expired session proves nothing of its intent', () => {
  it.each([{}, { payment_intent: null }])('and has the try asked: %j', (changes) => {
    const event = eventOf(
      parse(anEvent('checkout.session.expired', { ...SESSION, payment_status: 'unpaid', ...changes })),
    )

    expect(event).toMatchObject({ kind: 'closed', trust: 'hint', outTradeNo: 'ORDER_0001' })
  })
})

describe('a type that no table knows is unknown under its name', () => {
  it.each(['brand.new', 'charge.refund.brand_new', 'payment_intent.brand_new'])('%s', (type) => {
    expect(eventOf(parse(anEvent(type, INTENT)))).toMatchObject({ kind: 'unknown', code: type })
  })

  it('and so is a notice without a type', () => {
    expect(eventOf(parse(JSON.stringify({ id: 'evt_1', livemode: true })))).toMatchObject({ kind: 'unknown' })
  })
})

describe('a thin event', () => {
  const thin = (type: string, related: unknown) =>
    eventOf(
      parse(JSON.stringify({ id: 'evt_t', object: 'v2.core.event', type, livemode: true, related_object: related })),
    )

  it.each([
    ['v1.payment_intent.succeeded', { type: 'payment_intent', id: 'pi_1' }, 'payment'],
    ['v1.refund.created', { type: 'refund', id: 're_1' }, 'refund'],
    ['v1.charge.refunded', { type: 'charge', id: 'ch_1' }, 'refund'],
    ['v1.charge.dispute.created', { type: 'dispute', id: 'du_1' }, 'dispute'],
    ['v1.checkout.session.completed', { type: 'checkout.session', id: 'cs_1' }, 'payment'],
  ])('%s is a hint by its related object', (type, related, kind) => {
    expect(thin(type, related)).toMatchObject({ kind, trust: 'hint', channelTxnId: related.id })
  })

  it.each([null, { type: 'brand_new', id: 'x_1' }, { type: 'refund', id: 'a#b' }, 'text'])(
    'related to nothing of ours is unknown: %j',
    (related) => {
      expect(thin('v2.brand.new', related)).toMatchObject({ kind: 'unknown', code: 'v2.brand.new' })
    },
  )

  it('of the destination’s own test is a probe', () => {
    expect(thin('v2.core.event_destination.ping', null).kind).toBe('probe')
  })

  it('of the other mode is refused', () => {
    const text = JSON.stringify({ id: 'evt_t', object: 'v2.core.event', type: 'x', livemode: false })

    expect(verify(sign(text))).toEqual({ ok: false, reason: 'not-ours' })
    expect(verifiedOf(verify(sign(text.replace('false', 'true'))))).toBeDefined()
  })
})
