import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStandardWebhooks } from '../../../modules/channels/standard-webhooks/parse.ts'
import { CHANNEL, eventOf, expectSound, verifiedOf } from '../message-setup.ts'
import { ACCOUNT, aMessage, DATA, IN_MAJOR, KEYS, parse, sign, verify } from './signed-webhook.ts'

describe('what a mapped webhook says', () => {
  it('a payment is read from where the mapping points', () => {
    expect(eventOf(parse(aMessage('paid')))).toEqual({
      channel: CHANNEL,
      eventId: 'msg_1',
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: 'txn_1',
      money: { amount: 8800, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    })
  })

  it('every kind of event of one payment has one number', () => {
    const events = ['paid', 'payment.failed', 'payment.closed', 'refunded', 'disputed', 'brand.new'].map((type) =>
      eventOf(parse(aMessage(type))),
    )

    expect(events.map((event) => event.kind)).toEqual(['payment', 'failed', 'closed', 'refund', 'dispute', 'unknown'])
    expect(new Set(events.map((event) => event.channelTxnId))).toEqual(new Set(['txn_1']))
  })

  it('a refund is a single amount and carries the number that the sender gave it', () => {
    const event = eventOf(parse(aMessage('refunded')))

    expect(event).toMatchObject({ cumulative: false, channelRefundId: 'theirs-1', money: { amount: 8800 } })
    expect(event.refundNo).toBeUndefined()
  })

  it.each([
    ['110.7', 11070],
    ['116.62', 11662],
    ['0.1', 10],
    ['7', 700],
  ])('%s in major units is %i', (written, minor) => {
    expect(eventOf(parse(aMessage('paid', { ...DATA, amount: written }), IN_MAJOR)).money?.amount).toBe(minor)
  })

  it.each(['1E-2', '5e+3', '-1.00', '+1.00', '1,000.00', ' 1.00', '1.001', '.5', '01.00', '', 1.5, null])(
    '%j in major units is refused by its field',
    (written) => {
      expect(parse(aMessage('paid', { ...DATA, amount: written }), IN_MAJOR)).toMatchObject({
        ok: false,
        eventId: 'msg_1',
        field: 'data.amount',
      })
    },
  )

  it.each([
    ['data.txn', { txn: 'a#b' }],
    ['data.txn', { txn: undefined }],
    ['data.amount', { amount: '8800' }],
    ['data.amount', { amount: -8800 }],
    ['data.currency', { currency: 'RMB' }],
  ])('%s: %j is refused by its field', (field, change) => {
    expect(parse(aMessage('paid', { ...DATA, ...change }))).toMatchObject({ ok: false, eventId: 'msg_1', field })
  })

  it('a path never leads out of the sender’s own fields', () => {
    const account = { ...ACCOUNT, mapping: { ...ACCOUNT.mapping, channelTxnId: 'data.constructor' } }

    expect(parse(aMessage('paid'), account)).toMatchObject({ ok: false, problem: 'is missing' })
  })
})

describe('any content', () => {
  const type = fc.constantFrom('paid', 'payment.failed', 'payment.closed', 'refunded', 'disputed', 'new')

  it('is read or named, and never thrown', () => {
    fc.assert(
      fc.property(
        type,
        fc.constantFrom(...Object.keys(DATA)),
        fc.jsonValue(),
        fc.boolean(),
        (kind, name, value, major) => {
          expectSound(parse(aMessage(kind, { ...DATA, [name]: value }), major ? IN_MAJOR : ACCOUNT))
        },
      ),
    )
  })

  it('that is not even text is named', () => {
    const verified = verifiedOf(verify(sign('{}')))
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (body, id) => {
        const callback = { ...verified, headers: { 'webhook-id': id }, body: Buffer.from(body) }
        expectSound(parseStandardWebhooks(callback, ACCOUNT, KEYS))
      }),
    )
  })
})
