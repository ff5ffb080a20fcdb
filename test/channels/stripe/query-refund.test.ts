import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefundRef } from '../../../modules/channels/client.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import { queryStripeRefund } from '../../../modules/channels/stripe/query-refund.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../../modules/core/ids.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { aFailure, anAnswer, answering, OUT_TRADE_NO } from '../client-setup.ts'
import { expectSound } from '../message-setup.ts'
import { ACCOUNT, CLIENT_SECRET, INTENT, INTENT_ID, intent, KEYS, refusal } from './api-answers.ts'

type Json = Readonly<Record<string, unknown>>

const REFUND_NO = `R${'A2'.repeat(12)}B`
const AT = '2026-11-02T02:00:00.000Z'
const OWN = { payment_intent: INTENT_ID, charge: 'ch_1', currency: 'cny', metadata: {} }
const REFUND = { ...OWN, id: 're_1', object: 'refund', amount: 1000, status: 'succeeded' }
const DISPUTE = { ...OWN, id: 'du_1', object: 'dispute', amount: 10000, status: 'needs_response', livemode: false }
const MISSING = refusal(404, { code: 'resource_missing' })

const json = (body: Json) => anAnswer(200, JSON.stringify(body))
const list = (...data: readonly Json[]) => json({ object: 'list', data, has_more: false })
const withRefunded = (amount_refunded: number) =>
  intent({ latest_charge: { ...INTENT.latest_charge, amount_refunded } })

function refOf(id: string): RefundRef {
  return { channelTxnId: parseChannelTxnId(id) ?? expect.unreachable() }
}

async function asking(ref: RefundRef, ...answers: readonly HttpResult[]) {
  const channel = answering(...answers)
  const answer = await queryStripeRefund(ref, ACCOUNT, KEYS, channel)
  return { ...answer, calls: channel.sent.map(({ url }) => url.pathname) }
}

describe('what went back of a payment is told whole', () => {
  it('the sum of its charge, each refund and each dispute, with the payment’s own number', async () => {
    const { outcome, events } = await asking(
      { ...refOf(INTENT_ID), outTradeNo: OUT_TRADE_NO },
      withRefunded(1000),
      list(
        { ...REFUND, metadata: { refund_no: REFUND_NO } },
        { ...REFUND, id: 're_2', amount: 500, status: 'pending' },
      ),
      list({ ...DISPUTE, evidence_details: { due_by: 1_793_671_200 } }),
    )

    const of = { trust: 'fact', channelTxnId: INTENT_ID, outTradeNo: 'ORDER_0001' }
    const money = (amount: number) => ({ amount, currency: 'CNY' })
    expect(outcome).toEqual({ kind: 'done' })
    expect(events).toMatchObject([
      { ...of, kind: 'refund', undo: { form: 'sum', state: 'done', money: money(1000), at: AT } },
      { ...of, kind: 'refund', refundNo: REFUND_NO, undo: { form: 'one', state: 'done', id: 're_1', at: AT } },
      { ...of, kind: 'refund', undo: { form: 'one', state: 'pending', id: 're_2', money: money(500), at: AT } },
      { ...of, kind: 'dispute', undo: { form: 'one', state: 'pending', id: 'du_1', dueAt: expect.any(String) } },
    ])
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(4)
    expectSound({ ok: true, events })
  })

  it('nothing that went back is an answer as well', async () => {
    expect(await asking(refOf(INTENT_ID), withRefunded(0), list(), list())).toEqual({
      outcome: { kind: 'done' },
      events: [],
      payment: expect.objectContaining({ kind: 'payment', eventId: `query/${INTENT_ID}`, outTradeNo: 'ORDER_0001' }),
      calls: [`/v1/payment_intents/${INTENT_ID}`, '/v1/refunds', '/v1/disputes'],
    })
  })

  it('the payment itself is told only of an intent that was paid', async () => {
    const ask = (changes: Json) => asking(refOf(INTENT_ID), intent(changes), list(), list())

    expect(await ask({})).toMatchObject({
      payment: { trust: 'fact', channelTxnId: INTENT_ID, money: { amount: 10000, currency: 'CNY' } },
    })
    for (const unpaid of [
      { status: 'processing' },
      { status: 'canceled' },
      { amount_received: 0 },
      { amount_received: 'x' },
    ])
      expect(await ask(unpaid)).not.toHaveProperty('payment')
  })

  it('an answer that says the same has the same ids, and one that says more has others', async () => {
    const idsOf = async (status: string, amount: number) =>
      (await asking(refOf(INTENT_ID), withRefunded(amount), list({ ...REFUND, status }), list())).events.map(
        ({ eventId }) => eventId,
      )

    expect(await idsOf('succeeded', 1000)).toEqual(await idsOf('succeeded', 1000))
    expect(await idsOf('succeeded', 1000)).not.toEqual(await idsOf('failed', 1000))
    expect(await idsOf('succeeded', 1000)).not.toEqual(await idsOf('succeeded', 2000))
  })
})

describe('what names no intent leads to it by one question or two', () => {
  const charge = json({ id: 'ch_1', object: 'charge', livemode: false, payment_intent: INTENT_ID })
  const nameless = { payment_intent: null, charge: 'ch_1' }
  it.each([
    ['ch_1', [charge], ['/v1/charges/ch_1']],
    ['py_1', [charge], ['/v1/charges/py_1']],
    ['re_1', [json(REFUND)], ['/v1/refunds/re_1']],
    ['re_1', [json({ ...REFUND, ...nameless }), charge], ['/v1/refunds/re_1', '/v1/charges/ch_1']],
    ['du_1', [json({ ...DISPUTE, ...nameless }), charge], ['/v1/disputes/du_1', '/v1/charges/ch_1']],
    ['dp_1', [json({ ...DISPUTE, payment_intent: { id: INTENT_ID } })], ['/v1/disputes/dp_1']],
    ['cs_test_1', [json({ payment_intent: INTENT_ID })], ['/v1/checkout/sessions/cs_test_1']],
  ])('%s', async (id, answers, paths) => {
    const { events, outcome, calls } = await asking(refOf(id), ...answers, intent(), list(REFUND), list())

    expect(outcome).toEqual({ kind: 'done' })
    expect(events).toMatchObject([{ channelTxnId: INTENT_ID, undo: { id: 're_1' } }])
    expect(calls.slice(0, paths.length)).toEqual(paths)
  })

  it('a charge that no intent brought is no order’s money', async () => {
    const bare = json({ id: 'ch_1', livemode: false, payment_intent: null })

    expect(await asking(refOf('ch_1'), bare)).toMatchObject({ outcome: { code: 'NO_PAYMENT_INTENT' }, events: [] })
  })

  it.each([
    ['not found', refOf('ch_1'), MISSING, 'notYet'],
    ['of the other mode', refOf('ch_1'), json({ livemode: true, payment_intent: INTENT_ID }), 'mismatch'],
    ['without an answer', refOf('re_1'), aFailure('timeout'), 'unknown'],
  ])('one that is %s tells nothing', async (_what, ref, answer, kind) => {
    expect(await asking(ref, answer)).toMatchObject({ outcome: { kind }, events: [] })
  })

  it('an id of another kind is asked nowhere', async () => {
    expect(await asking(refOf('txn_1'))).toMatchObject({ outcome: { kind: 'rejected' }, calls: [] })
  })
})

describe('part of an answer is not the whole of it', () => {
  it('a list that does not answer keeps back no other', async () => {
    const { outcome, events } = await asking(refOf(INTENT_ID), intent(), list(REFUND), aFailure('dns'))

    expect(outcome.kind).toBe('transient')
    expect(events).toHaveLength(1)
  })

  it('an object that cannot be read keeps back no neighbour', async () => {
    const { outcome, events } = await asking(
      refOf(INTENT_ID),
      intent(),
      list({ ...REFUND, amount: '1000' }, { ...REFUND, id: 're_2' }),
      list(),
    )

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'ANSWER_UNREADABLE' })
    expect(events).toMatchObject([{ undo: { id: 're_2' } }])
  })

  it('a list that goes on is told as such', async () => {
    const cut = json({ object: 'list', data: [REFUND], has_more: true })

    expect(await asking(refOf(INTENT_ID), intent(), cut, list())).toMatchObject({ outcome: { code: 'LIST_IS_LONGER' } })
  })

  it('money of another payment, order or mode is none of it', async () => {
    const strange = list({ ...REFUND, payment_intent: 'pi_other' })
    const otherOrder = { ...refOf(INTENT_ID), outTradeNo: parseOutTradeNo('ORDER_0002') ?? expect.unreachable() }

    for (const answer of [
      await asking(refOf(INTENT_ID), intent(), strange, list()),
      await asking(otherOrder, intent()),
      await asking(refOf(INTENT_ID), intent({ livemode: true })),
    ]) {
      expect(answer).toMatchObject({ outcome: { kind: 'mismatch' }, events: [] })
    }
  })

  it('a state that no table knows is unknown under its name', async () => {
    const { events } = await asking(refOf(INTENT_ID), intent(), list({ ...REFUND, status: 'brand_new' }), list())

    expect(events).toMatchObject([{ kind: 'unknown', code: 'refund/brand_new', channelTxnId: INTENT_ID }])
  })
})

it('no content throws, and what comes of it is sound', async () => {
  const some = fc.dictionary(
    fc.constantFrom(...Object.keys(REFUND), 'livemode', 'balance_transactions'),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(some, some, some, async (refund, dispute, changes) => {
      const answers = [intent(changes), list({ ...REFUND, ...refund }), list({ ...DISPUTE, ...dispute })]

      const { events } = await asking(refOf(INTENT_ID), ...answers)

      expectSound({ ok: true, events })
      for (const event of events) expect(event.channelTxnId).toBe(INTENT_ID)
    }),
  )
})

it('can be asked is known without the secret, and bound to the account', async () => {
  const channel = answering(intent(), list(REFUND), list())
  const bound = clientOf(ACCOUNT, channel)

  expect(bound.canQueryRefund).toBe(true)
  expect(await bound.openKeys(CLIENT_SECRET).queryRefund?.(refOf(INTENT_ID))).toMatchObject({
    outcome: { kind: 'done' },
  })
})
