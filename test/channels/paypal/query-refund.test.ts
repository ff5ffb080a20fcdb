import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefundRef } from '../../../modules/channels/client.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import { queryPaypalRefund } from '../../../modules/channels/paypal/query-refund.ts'
import { PAYPAL_DISPUTE_OUTCOMES, PAYPAL_REFUND_STATES } from '../../../modules/channels/paypal/states.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../../modules/core/ids.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { aFailure, anAnswer, answering, NOW_MS, OUT_TRADE_NO } from '../client-setup.ts'
import { expectSound } from '../message-setup.ts'
import { ACCOUNT, CAPTURE } from './signed-event.ts'

type Json = Readonly<Record<string, unknown>>

const SESSION = { keys: { clientId: 'app', clientSecret: 's' }, token: { text: 'A21', goodUntilMs: NOW_MS + 60_000 } }
const REFUND_NO = `R${'A2'.repeat(12)}B`
const AT = '2026-11-02T02:00:00.000Z'
const CAPTURES = '/v2/payments/captures/CAPTURE1'
const ORDER = '/v2/checkout/orders/PAYPALORDER1'
const UP = [{ rel: 'up', href: `https://api-m.paypal.com${CAPTURES}` }]
const IN_ORDER = { supplementary_data: { related_ids: { order_id: 'PAYPALORDER1' } } }
const usd = (value: string) => ({ currency_code: 'USD', value })
const REFUND = { id: 'REFUND1', status: 'COMPLETED', amount: usd('10.00'), links: UP }
const DISPUTE = {
  dispute_id: 'PP-D-1',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  dispute_amount: usd('88.00'),
  disputed_transactions: [{ seller_transaction_id: 'CAPTURE1' }],
  seller_response_due_date: '2026-11-12T00:00:00Z',
}

const json = (body: Json, status = 200) => anAnswer(status, JSON.stringify(body))
const capture = (changes: Json = {}) => json({ ...CAPTURE, ...IN_ORDER, ...changes })
const order = (...refunds: readonly Json[]) =>
  json({ purchase_units: [{ payments: { captures: [{ id: 'CAPTURE1' }], refunds } }] })
const NOT_FOUND = json({ name: 'RESOURCE_NOT_FOUND' }, 404)
const REF: RefundRef = { channelTxnId: parseChannelTxnId('CAPTURE1') ?? expect.unreachable() }

async function asking(ref: RefundRef, ...answers: readonly HttpResult[]) {
  const channel = answering(...answers)
  const answer = await queryPaypalRefund(ref, ACCOUNT, { ...SESSION }, channel)
  return { ...answer, calls: channel.sent.map(({ url }) => url.pathname) }
}

describe('what went back of a capture is told whole', () => {
  it('each refund of its order once, with the payment and its own number', async () => {
    const ours = { ...REFUND, id: 'REFUND2', status: 'PENDING', custom_id: REFUND_NO }
    const answer = await asking({ ...REF, outTradeNo: OUT_TRADE_NO }, capture(), order(REFUND, ours))

    const of = { kind: 'refund', trust: 'fact', channelTxnId: 'CAPTURE1', outTradeNo: 'ORDER_0001' }
    expect(answer).toMatchObject({
      outcome: { kind: 'done' },
      payment: { kind: 'payment', eventId: 'query/CAPTURE1', money: { amount: 8800, currency: 'USD' } },
      calls: [CAPTURES, ORDER],
    })
    expect(answer.events).toMatchObject([
      { ...of, undo: { form: 'one', state: 'done', id: 'REFUND1', money: { amount: 1000, currency: 'USD' }, at: AT } },
      { ...of, refundNo: REFUND_NO, undo: { form: 'one', state: 'pending', id: 'REFUND2' } },
    ])
    expectSound({ ok: true, events: answer.events })
  })

  it('nothing that went back is an answer as well, and the order is found by the capture’s link, too', async () => {
    const links = [{ rel: 'up', href: `https://api.paypal.com${ORDER}` }]

    expect(await asking(REF, json({ ...CAPTURE, links }), order())).toMatchObject({
      outcome: { kind: 'done' },
      events: [],
      calls: [CAPTURES, ORDER],
    })
  })

  it('a refund of another capture of the order is none of it', async () => {
    const other = { ...REFUND, links: [{ rel: 'up', href: 'https://api.paypal.com/v2/payments/captures/CAPTURE2' }] }

    expect(await asking(REF, capture(), order(other))).toMatchObject({ outcome: { kind: 'done' }, events: [] })
  })

  it.each([...PAYPAL_REFUND_STATES])('a refund that is %s is %s', async (status, state) => {
    const { events } = await asking(REF, capture(), order({ ...REFUND, status }))

    expect(events).toMatchObject([{ eventId: `query/REFUND1/${state}`, undo: { state } }])
  })
})

describe('what nothing lists is known by the status of the capture', () => {
  it.each([
    ['REFUNDED', [], { form: 'all', state: 'done' }],
    ['REFUNDED', [REFUND], { form: 'all', state: 'done' }],
    ['PARTIALLY_REFUNDED', [], { form: 'amountUnknown', state: 'done' }],
  ])('%s beyond the refunds that are known', async (status, refunds, undo) => {
    const { events } = await asking(REF, capture({ status }), order(...refunds))

    expect(events.at(-1)).toMatchObject({ kind: 'refund', channelTxnId: 'CAPTURE1', undo })
    expect(events).toHaveLength(refunds.length + 1)
  })

  it.each([
    ['REFUNDED', { ...REFUND, amount: usd('88.00') }],
    ['PARTIALLY_REFUNDED', REFUND],
  ])('%s that the refunds explain is told once', async (status, refund) => {
    expect((await asking(REF, capture({ status }), order(refund))).events).toMatchObject([{ undo: { form: 'one' } }])
  })

  it('an order that PayPal keeps no more, or a capture without one, leaves the status', async () => {
    const status = 'REFUNDED'
    for (const answers of [[capture({ status }), NOT_FOUND], [json({ ...CAPTURE, status })]])
      expect(await asking(REF, ...answers)).toMatchObject({
        outcome: { kind: 'done' },
        events: [{ undo: { form: 'all' } }],
      })
  })

  it('while its refunds cannot be had, no amount is called unknown', async () => {
    const answer = await asking(REF, capture({ status: 'PARTIALLY_REFUNDED' }), aFailure('dns'))

    expect(answer).toMatchObject({ outcome: { kind: 'transient' }, events: [] })
  })
})

describe('what a hint named is asked for by itself', () => {
  it('a refund that no order lists', async () => {
    const answer = await asking({ ...REF, refundIds: ['REFUND1'] }, json(CAPTURE), json(REFUND))

    expect(answer.calls).toEqual([CAPTURES, '/v2/payments/refunds/REFUND1'])
    expect(answer.events).toMatchObject([{ undo: { form: 'one', id: 'REFUND1', state: 'done' } }])
  })

  it('a refund that the order lists is not asked for again', async () => {
    expect((await asking({ ...REF, refundIds: ['REFUND1'] }, capture(), order(REFUND))).calls).toHaveLength(2)
  })

  it.each([
    ['does not exist', NOT_FOUND],
    [
      'is of another payment',
      json({ ...REFUND, links: [{ rel: 'up', href: 'https://x/v2/payments/captures/OTHER' }] }),
    ],
    ['names no payment', json({ ...REFUND, links: [] })],
  ])('a refund that %s says nothing', async (_how, result) => {
    expect(await asking({ ...REF, refundIds: ['FORGED'] }, json(CAPTURE), result)).toMatchObject({
      outcome: { kind: 'done' },
      events: [],
    })
  })

  it('a dispute asks for its amount until its day', async () => {
    const answer = await asking({ ...REF, disputeIds: ['PP-D-1'] }, json(CAPTURE), json(DISPUTE))

    expect(answer.calls.at(-1)).toBe('/v1/customer/disputes/PP-D-1')
    expect(answer.events).toMatchObject([
      {
        kind: 'dispute',
        undo: { state: 'pending', id: 'PP-D-1', money: { amount: 8800 }, dueAt: '2026-11-12T00:00:00.000Z' },
      },
    ])
  })

  it.each([...PAYPAL_DISPUTE_OUTCOMES])('a dispute that ended as %s is %s', async (outcome_code, state) => {
    const dispute_outcome = { outcome_code, amount_refunded: usd('50.00') }
    const resolved = json({ ...DISPUTE, status: 'RESOLVED', dispute_outcome })

    const { events } = await asking({ ...REF, disputeIds: ['PP-D-1'] }, json(CAPTURE), resolved)

    expect(events).toMatchObject([{ undo: { state, money: { amount: state === 'done' ? 5000 : 8800 } } }])
  })

  it.each(['NONE', 'BRAND_NEW', undefined])('a dispute that ended as %s is unknown under its name', async (word) => {
    const resolved = json({ ...DISPUTE, status: 'RESOLVED', dispute_outcome: { outcome_code: word } })

    const { events } = await asking({ ...REF, disputeIds: ['PP-D-1'] }, json(CAPTURE), resolved)

    expect(events).toMatchObject([{ kind: 'unknown', code: `dispute/${word ?? 'STATUS_MISSING'}` }])
  })

  it('a dispute of another payment says nothing, and a refused question is not the whole answer', async () => {
    const other = json({ ...DISPUTE, disputed_transactions: [{ seller_transaction_id: 'OTHER' }] })
    const refused = json({ name: 'NOT_AUTHORIZED' }, 403)

    expect(await asking({ ...REF, disputeIds: ['D'] }, json(CAPTURE), other)).toMatchObject({
      outcome: { kind: 'done' },
      events: [],
    })
    expect(await asking({ ...REF, disputeIds: ['D'] }, json(CAPTURE), refused)).toMatchObject({
      outcome: { kind: 'misconfigured' },
    })
  })
})

describe('a capture that cannot be had tells nothing', () => {
  it.each([
    ['not there', NOT_FOUND, 'notYet'],
    ['without an answer', aFailure('timeout'), 'unknown'],
    ['another than was asked for', json({ ...CAPTURE, id: 'OTHER' }), 'mismatch'],
  ])('%s', async (_what, answer, kind) => {
    expect(await asking(REF, answer)).toMatchObject({ outcome: { kind }, events: [] })
  })

  it('money of another number is none of it, and one of no number is', async () => {
    const otherOrder = { ...REF, outTradeNo: parseOutTradeNo('ORDER_0002') ?? expect.unreachable() }

    expect(await asking(otherOrder, capture())).toMatchObject({ outcome: { kind: 'mismatch' }, events: [] })
    const nameless = json({ ...CAPTURE, custom_id: undefined, invoice_id: undefined, status: 'REFUNDED' })
    expect((await asking(otherOrder, nameless)).events).toMatchObject([{ undo: { form: 'all' } }])
  })

  it.each(['PENDING', 'DECLINED', 'FAILED', 'BRAND_NEW'])('a capture that is %s was not paid', async (status) => {
    expect(await asking(REF, capture({ status }), order())).not.toHaveProperty('payment')
  })
})

it('a refund that cannot be read keeps back no neighbour, and is not the whole answer', async () => {
  const { outcome, events } = await asking(
    REF,
    capture(),
    order({ ...REFUND, amount: { currency_code: 'USD', value: 10 } }, { ...REFUND, id: 'REFUND2' }),
  )

  expect(outcome).toMatchObject({ kind: 'unknown', code: 'ANSWER_UNREADABLE' })
  expect(events).toMatchObject([{ undo: { id: 'REFUND2' } }])
})

it('no content throws, and what comes of it is sound', async () => {
  const some = (of: Json) => fc.dictionary(fc.constantFrom(...Object.keys(of)), fc.jsonValue())
  await fc.assert(
    fc.asyncProperty(some(CAPTURE), some(REFUND), some(DISPUTE), async (changes, refund, dispute) => {
      const answers = [
        capture({ ...changes, id: 'CAPTURE1' }),
        order({ ...REFUND, ...refund }),
        json({ ...DISPUTE, ...dispute }),
      ]

      const { events, payment } = await asking({ ...REF, disputeIds: ['PP-D-1'] }, ...answers)

      expectSound({ ok: true, events: payment === undefined ? events : [...events, payment] })
      for (const event of events) expect(event.channelTxnId).toBe('CAPTURE1')
    }),
  )
})

describe('bound to the account', () => {
  it('that it can be asked is known without the secret', () => {
    expect(clientOf(ACCOUNT).canQueryRefund).toBe(true)
  })

  it('a number that is a step in an address is not asked for', async () => {
    const channel = answering(json({ access_token: 'A21', expires_in: 31_668 }), json(CAPTURE), json(REFUND))
    const { queryRefund } = clientOf(ACCOUNT, channel).openKeys('{"clientId":"a","clientSecret":"b"}')

    await queryRefund?.({ ...REF, refundIds: ['..', 'REFUND1', '.'], disputeIds: ['..'] })

    expect(channel.sent.slice(1).map(({ url }) => url.pathname)).toEqual([CAPTURES, '/v2/payments/refunds/REFUND1'])
  })
})
