import { describe, expect, it } from 'vitest'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { instantOf } from '../../../modules/core/instant.ts'
import { aFailure, anAnswer, answering, aRef, NOW_MS, OVER } from '../client-setup.ts'
import { ACCOUNT, close, found, INTENT, INTENT_ID, intent, KEYS, REF, refusal, unexpectedState } from './api-answers.ts'

it('a cancelled intent is closed, under an idempotency key that is new each time', async () => {
  const first = answering(intent({ status: 'canceled' }))

  const answer = await closeStripe(REF, ACCOUNT, KEYS, first)

  expect(answer).toMatchObject({ outcome: { kind: 'done' }, state: 'closed', event: { kind: 'closed' } })
  expect(first.sent[0]).toMatchObject({ method: 'POST', headers: { 'idempotency-key': 'close-0NCE0' } })
  expect(first.sent[0]?.url.pathname).toBe(`/v1/payment_intents/${INTENT_ID}/cancel`)
})

it('an intent that was paid this second comes back as paid, with the time of its charge', async () => {
  const answer = await close(REF, unexpectedState('succeeded'), intent())

  expect(answer).toMatchObject({
    outcome: { kind: 'done' },
    state: 'paid',
    event: { kind: 'payment', paidAt: '2026-11-02T01:59:57.000Z' },
  })
})

it('is paid also when the question for its time fails', async () => {
  const answer = await close(REF, unexpectedState('succeeded'), aFailure('timeout'))

  expect(answer).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
  expect(answer.event).not.toHaveProperty('paidAt')
})

it.each([
  ['canceled', 'done', 'closed'],
  ['processing', 'notYet', 'moving'],
  ['FOO', 'unknown', 'unknown'],
])('a refusal with an intent in %s comes to %s, %s', async (status, kind, state) => {
  expect(await close(REF, unexpectedState(status))).toMatchObject({ outcome: { kind }, state })
})

it.each([
  ['a refusal without an intent', refusal(400, { code: 'payment_intent_unexpected_state' }), 'unknown'],
  ['a success that is still waiting', intent({ status: 'requires_action' }), 'unknown'],
  ['another order’s intent', intent({ status: 'canceled', metadata: { order_no: 'ORDER_0002' } }), 'mismatch'],
  ['an unknown refusal', refusal(400, { code: 'foo' }), 'unknown'],
  ['missing permission', refusal(403, { type: 'invalid_request_error' }), 'misconfigured'],
  ['a limit', refusal(429, { code: 'rate_limit' }), 'transient'],
  ['a 503, when the close may have gone through', anAnswer(503, ''), 'unknown'],
  ['a reset', aFailure('reset'), 'unknown'],
  ['no connection', aFailure('dns'), 'transient'],
])('%s closes nothing', async (_what, result, kind) => {
  expect(await close({ ...OVER, channelRef: INTENT_ID }, result)).toMatchObject({ outcome: { kind }, state: 'unknown' })
})

it('an intent that Stripe does not know is closed only after expiry and grace', async () => {
  const notFound = refusal(404, { code: 'resource_missing' })

  expect(await close(REF, notFound)).toMatchObject({ outcome: { kind: 'notYet' }, state: 'unknown' })
  expect(await close({ ...OVER, channelRef: INTENT_ID }, notFound)).toMatchObject({
    outcome: { kind: 'done' },
    state: 'closed',
  })
})

describe('without a pi_', () => {
  const UNPAID = { ...INTENT, status: 'requires_payment_method' }
  const CANCELED = intent({ status: 'canceled' })

  it('the abandoned cart’s intent that the search finds is cancelled, confirmed by its id, and may be closed', async () => {
    const channel = answering(found(UNPAID), CANCELED, CANCELED)

    const answer = await closeStripe(aRef(), ACCOUNT, KEYS, channel)

    expect(answer).toEqual({ outcome: { kind: 'notYet', code: 'SEARCH_FOUND_CANCELED' }, state: 'closable' })
    expect(channel.sent.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'GET /v1/payment_intents/search',
      `POST /v1/payment_intents/${INTENT_ID}/cancel`,
      `GET /v1/payment_intents/${INTENT_ID}`,
    ])
  })

  it('is closed for good once the search could hide no later intent', async () => {
    const pastLag = aRef({ expiresAt: instantOf(NOW_MS - 66 * 60_000) })

    expect(await close(pastLag, found(UNPAID), CANCELED, CANCELED)).toMatchObject({
      outcome: { kind: 'done' },
      state: 'closed',
      event: { kind: 'closed' },
    })
  })

  it('one that was paid meanwhile is paid', async () => {
    expect(await close(aRef(), found(UNPAID), unexpectedState('succeeded'), intent())).toMatchObject({
      state: 'paid',
      event: { kind: 'payment', channelTxnId: INTENT_ID },
    })
  })

  it('a cancel that is not confirmed closes nothing', async () => {
    expect(await close(aRef(), found(UNPAID), CANCELED, intent({ status: 'requires_action' }))).toMatchObject({
      outcome: { kind: 'unknown', code: 'STILL_REQUIRES_ACTION' },
      state: 'unknown',
    })
  })

  it('of two that may still be paid neither is cancelled, and nothing closes', async () => {
    const channel = answering(found(UNPAID, { ...UNPAID, id: 'pi_other' }))

    expect(await closeStripe(aRef(), ACCOUNT, KEYS, channel)).toMatchObject({
      outcome: { kind: 'notYet', code: 'SEARCH_FOUND_SEVERAL' },
      state: 'unknown',
    })
    expect(channel.sent.map(({ method }) => method)).toEqual(['GET'])
  })

  it('an empty list closes nothing before the hour by which it lags is over', async () => {
    expect(await close(OVER, found())).toMatchObject({ state: 'unknown' })
  })
})
