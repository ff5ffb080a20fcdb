import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgementOf } from '../../../modules/channels/refusal.ts'
import { readStripeKeys } from '../../../modules/channels/stripe/keys.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import { STRIPE_CODES, STRIPE_STATES } from '../../../modules/channels/stripe/states.ts'
import { instantOf } from '../../../modules/core/instant.ts'
import {
  ALMOST_OVER,
  aFailure,
  anAnswer,
  answering,
  aRef,
  expectSoundAnswer,
  FAILURES,
  NOW_MS,
  OVER,
} from '../client-setup.ts'
import { CHANNEL } from '../message-setup.ts'
import { ACCOUNT, found, INTENT, INTENT_ID, intent, KEYS, query, REF, refusal } from './api-answers.ts'

const NO_ANSWER = expect.objectContaining({ state: 'unknown', outcome: expect.objectContaining({ kind: 'unknown' }) })
const UNPAID = { ...INTENT, status: 'requires_payment_method' }
const MANY = anAnswer(200, JSON.stringify({ object: 'search_result', data: [UNPAID], has_more: true }))
/** Its expiry is more than the hour ago by which the search lags. */
const PAST_LAG = aRef({ expiresAt: instantOf(NOW_MS - 66 * 60_000) })
const OVER_REF = { ...OVER, channelRef: INTENT_ID }

it('a succeeded intent becomes a fact with what was received, and the time of its charge', async () => {
  expect(await query(REF, intent())).toEqual({
    outcome: { kind: 'done' },
    state: 'paid',
    event: {
      channel: CHANNEL,
      eventId: `query/${INTENT_ID}`,
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: INTENT_ID,
      money: { amount: 10000, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    },
  })
})

describe('query answers in turn', () => {
  const waiting = (code: string) => ({ outcome: { kind: 'notYet', code }, state: 'closable' })
  const cases: readonly (readonly [string, unknown])[] = [
    ['requires_payment_method', waiting('REQUIRES_PAYMENT_METHOD')],
    ['requires_confirmation', waiting('REQUIRES_CONFIRMATION')],
    ['requires_action', waiting('REQUIRES_ACTION')],
    ['requires_capture', waiting('REQUIRES_CAPTURE')],
    ['processing', { outcome: { kind: 'notYet', code: 'PROCESSING' }, state: 'moving' }],
    ['succeeded', expect.objectContaining({ state: 'paid', outcome: { kind: 'done' } })],
    ['canceled', expect.objectContaining({ state: 'closed', event: expect.objectContaining({ kind: 'closed' }) })],
    ['FOO', NO_ANSWER],
  ]

  it.each(cases)('%s', async (status, expected) => {
    const answer = await query(OVER_REF, intent({ status }))

    expect(answer).toEqual(expected)
    expectSoundAnswer(answer)
  })

  it('every documented status is among them', () => {
    expect(cases.map(([status]) => status)).toEqual(expect.arrayContaining([...STRIPE_STATES.keys()]))
  })

  it.each([
    ['HTTP 500', anAnswer(500, '{}')],
    ['HTTP 500 with an intent', anAnswer(500, JSON.stringify(INTENT))],
    ['an error in a 200', anAnswer(200, JSON.stringify({ ...INTENT, error: {} }))],
    ['a body that is cut off', anAnswer(200, JSON.stringify(INTENT).slice(0, 200))],
    ['a redirect', anAnswer(302, JSON.stringify(INTENT))],
    ['a paid intent without what was received', intent({ amount_received: undefined })],
    ['a paid intent in a currency that Stripe’s table does not have', intent({ currency: 'zzz' })],
    ['no status at all', intent({ status: undefined })],
  ])('%s is no answer', async (_what, result) => {
    expect(await query(OVER_REF, result)).toEqual(NO_ANSWER)
  })
})

it('processing at every rung stays "money is under way", and a later success still wins', async () => {
  for (let rung = 0; rung < 20; rung += 1) {
    expect(await query(OVER_REF, intent({ status: 'processing' }))).toMatchObject({
      outcome: { kind: 'notYet' },
      state: 'moving',
    })
  }
  expect(await query(OVER_REF, intent())).toMatchObject({ outcome: { kind: 'done' }, state: 'paid' })
})

it('what was paid and given back in full starts no delivery; part of it given back is still paid', async () => {
  const full = { ...INTENT.latest_charge, refunded: true, amount_refunded: 10000 }
  const part = { ...INTENT.latest_charge, amount_refunded: 500 }

  expect(await query(REF, intent({ latest_charge: full }))).toEqual({
    outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' },
    state: 'paid',
  })
  expect(await query(REF, intent({ latest_charge: part }))).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
})

it('an intent that is not expanded has no time of payment: the time of the order or of asking is none', async () => {
  const answer = await query(REF, intent({ latest_charge: 'ch_1' }))

  expect(answer.event).not.toHaveProperty('paidAt')
})

it('amounts are in Stripe’s units', async () => {
  const answer = await query(REF, intent({ amount_received: 880000, currency: 'isk' }))

  expect(answer.event?.money).toEqual({ amount: 8800, currency: 'ISK' })
})

it.each([
  ['livemode', { livemode: true }],
  ['metadata.order_no', { metadata: { order_no: 'ORDER_0002' } }],
])('an intent with another %s reaches no order', async (field, changes) => {
  const answer = await query(REF, intent(changes))

  expect(answer).toMatchObject({ outcome: { kind: 'mismatch' }, state: 'unknown' })
  expect(answer.outcome.message).toContain(field)
})

it('an intent that Stripe does not know is closable only after expiry and grace', async () => {
  const notFound = refusal(404, { code: 'resource_missing', type: 'invalid_request_error' })
  const outcome = { kind: 'notYet', code: 'RESOURCE_MISSING' }

  expect(await query(REF, notFound)).toEqual({ outcome, state: 'unknown' })
  expect(await query({ ...ALMOST_OVER, channelRef: INTENT_ID }, notFound)).toEqual({ outcome, state: 'unknown' })
  expect(await query(OVER_REF, notFound)).toEqual({ outcome, state: 'closable' })
})

it.each([...STRIPE_CODES])('%s comes to %s', async (code, meaning) => {
  expect(await query(OVER_REF, refusal(400, { code, message: 'no' }))).toMatchObject({
    outcome: judgementOf(meaning),
    state: 'unknown',
  })
})

it.each([
  [401, 'misconfigured'],
  [403, 'misconfigured'],
  [402, 'unknown'],
  [409, 'unknown'],
  [429, 'transient'],
  [500, 'unknown'],
  [503, 'transient'],
])('HTTP %i with an unknown text comes to %s', async (status, kind) => {
  const result = refusal(status, { code: 'foo', message: 'a key sk_test_abcdefgh of a@b.example' })

  const { outcome, state } = await query(OVER_REF, result)

  expect({ kind: outcome.kind, state }).toEqual({ kind, state: 'unknown' })
  expect(outcome.message).toBe('a key *** of ***')
})

it.each(FAILURES)('the network failure %s comes to %s', async (type, kind) => {
  expect(await query(OVER_REF, aFailure(type))).toEqual({ outcome: { kind, networkErrorType: type }, state: 'unknown' })
})

describe('without a pi_, by our number in the metadata', () => {
  it('a paid intent that the lost create answer left nameless is found', async () => {
    const channel = answering(found({ ...INTENT, id: 'pi_other', status: 'requires_payment_method' }, INTENT))

    const answer = await queryStripe(aRef(), ACCOUNT, KEYS, channel)

    expect(answer).toMatchObject({ state: 'paid', event: { channelTxnId: INTENT_ID } })
    const url = channel.sent[0]?.url
    expect(url?.pathname).toBe('/v1/payment_intents/search')
    expect(url?.searchParams.get('query')).toBe("metadata['order_no']:'ORDER_0001'")
  })

  it.each([
    ['nothing', found(), 'SEARCH_FOUND_NOTHING'],
    ['another order’s intent', found({ ...INTENT, metadata: { order_no: 'ORDER_00011' } }), 'SEARCH_FOUND_NOTHING'],
    ['two unpaid intents', found(UNPAID, { ...UNPAID, id: 'pi_other' }), 'SEARCH_FOUND_SEVERAL'],
    ['a first page of intents', MANY, 'SEARCH_FOUND_SEVERAL'],
  ])('%s never closes before expiry and the hour by which the search lags', async (_what, result, code) => {
    expect(await query(OVER, result)).toEqual({ outcome: { kind: 'notYet', code }, state: 'unknown' })
  })

  it('nothing listed an hour after the expiry was never made', async () => {
    expect(await query(PAST_LAG, found())).toEqual({
      outcome: { kind: 'notYet', code: 'SEARCH_FOUND_NOTHING' },
      state: 'closable',
    })
  })

  it.each([
    ['requires_payment_method', 'closable', 'REQUIRES_PAYMENT_METHOD'],
    ['processing', 'moving', 'PROCESSING'],
    ['succeeded', 'paid', undefined],
    ['canceled', 'closable', 'SEARCH_FOUND_CANCELED'],
    ['FOO', 'unknown', 'STATE_NOT_IN_TABLE'],
  ])('one that is listed unpaid and is %s by now counts as it is by now: %s', async (status, state, code) => {
    const channel = answering(found(UNPAID), intent({ status }))

    const answer = await queryStripe(aRef(), ACCOUNT, KEYS, channel)

    expect(answer.state).toBe(state)
    expect(answer.outcome.code).toBe(code)
    expectSoundAnswer(answer)
    expect(channel.sent[1]?.url.pathname).toBe(`/v1/payment_intents/${INTENT_ID}`)
  })

  it('a list is nothing definite while the one that it names does not answer', async () => {
    expect(await query(OVER, found(UNPAID), aFailure('timeout'))).toMatchObject({
      outcome: { kind: 'unknown' },
      state: 'unknown',
    })
  })

  it('a cancelled intent beside the live one does not hide it', async () => {
    const canceled = { ...INTENT, id: 'pi_before', status: 'canceled' }

    expect(await query(aRef(), found(canceled, UNPAID), intent({ status: 'requires_action' }))).toMatchObject({
      state: 'closable',
    })
  })

  it('a cancelled intent may be closed here, but is asked about until no later one can be hidden by the lag', async () => {
    const listed = found({ ...INTENT, status: 'canceled' })

    expect(await query(OVER, listed)).toEqual({
      outcome: { kind: 'notYet', code: 'SEARCH_FOUND_CANCELED' },
      state: 'closable',
    })
    expect(await query(PAST_LAG, listed)).toMatchObject({
      outcome: { kind: 'done' },
      state: 'closed',
      event: { kind: 'closed' },
    })
  })

  it('money under way is waited for, and a list that cannot be read is no answer', async () => {
    const moving = { ...INTENT, id: 'pi_other', status: 'processing' }

    expect(await query(OVER, found(UNPAID, moving))).toMatchObject({ state: 'moving' })
    expect(await query(OVER, anAnswer(200, '{"data":{}}'))).toEqual(NO_ANSWER)
    expect(await query(OVER, found({ ...UNPAID, id: 7 }))).toEqual(NO_ANSWER)
  })
})

it('a question names its key, version, connected account and charge', async () => {
  const channel = answering(intent())
  await queryStripe(REF, { ...ACCOUNT, account: 'acct_1', apiBase: 'https://mock.invalid/' }, KEYS, channel)

  const [request] = channel.sent
  expect(request?.url.href).toBe(`https://mock.invalid/v1/payment_intents/${INTENT_ID}?expand%5B%5D=latest_charge`)
  expect(request).toMatchObject({
    method: 'GET',
    headers: {
      authorization: 'Bearer rk_test_0123456789',
      'stripe-account': 'acct_1',
      'stripe-version': expect.any(String),
    },
  })
})

it('without an API key nothing is asked, and the setting is named', async () => {
  const keys = readStripeKeys(JSON.stringify({ signingSecrets: ['whsec_0123456789'] }))

  expect(await queryStripe(REF, ACCOUNT, keys, answering())).toMatchObject({
    outcome: { kind: 'misconfigured', code: 'KEY_MISSING' },
    state: 'unknown',
  })
})

it('a key that was pasted with a line break is refused by its field’s name', () => {
  const secret = JSON.stringify({ signingSecrets: ['whsec_0123456789'], apiKey: 'rk_test_0123456789\n' })

  expect(() => readStripeKeys(secret)).toThrow(/apiKey/)
})

it('no bytes, status or content throw, and nothing definite is made of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      fc.integer({ min: 100, max: 599 }),
      fc.boolean(),
      async (bytes, status, bySearch) => {
        const answer = await query(bySearch ? OVER : OVER_REF, {
          kind: 'answer',
          status,
          headers: {},
          body: Buffer.from(bytes),
        })
        expectSoundAnswer(answer)
        expect(answer.state).toBe('unknown')
      },
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...Object.keys(INTENT)), fc.jsonValue()), async (changes) => {
      expectSoundAnswer(await query(REF, intent(changes)))
      expectSoundAnswer(await query(aRef(), found({ ...INTENT, ...changes }), intent(changes)))
    }),
  )
})

it('"not found" is taken from a 4xx only', async () => {
  expect(await query(OVER_REF, refusal(500, { code: 'resource_missing' }))).toEqual(NO_ANSWER)
})
