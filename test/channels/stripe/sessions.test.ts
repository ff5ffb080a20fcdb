import { describe, expect, it } from 'vitest'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { aFailure, anAnswer, answering, aRef, NOW_MS, OVER } from '../client-setup.ts'
import { ACCOUNT, INTENT_ID, intent, KEYS, REF, refusal } from './api-answers.ts'

const SESSION_ID = 'cs_test_a1B2c3'
const BY_SESSION = aRef({ channelRef: SESSION_ID })
const EXPIRE = `POST /v1/checkout/sessions/${SESSION_ID}/expire`
const ASK = `GET /v1/checkout/sessions/${SESSION_ID}`
const ASK_INTENT = `GET /v1/payment_intents/${INTENT_ID}`
const OF_CHECKOUT = refusal(400, {
  type: 'invalid_request_error',
  message: 'You cannot perform this action on PaymentIntents created by Checkout.',
})

function session(status: string, changes: Readonly<Record<string, unknown>> = {}): HttpResult {
  const object = { id: SESSION_ID, object: 'checkout.session', livemode: false, payment_intent: null }
  return anAnswer(200, JSON.stringify({ ...object, status, ...changes }))
}

function notOpen(status: string): HttpResult {
  const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`
  return refusal(400, { type: 'invalid_request_error', message })
}

const listed = (...ids: readonly string[]) => anAnswer(200, JSON.stringify({ data: ids.map((id) => ({ id })) }))
const MADE_INTENT = { payment_intent: INTENT_ID }

async function closing(ref: typeof REF, ...answers: readonly HttpResult[]) {
  const channel = answering(...answers)
  const answer = await closeStripe(ref, ACCOUNT, KEYS, channel)
  return { answer, calls: channel.sent.map(({ method, url }) => `${method} ${url.pathname}`) }
}

const asking = (ref: typeof REF, ...answers: readonly HttpResult[]) =>
  queryStripe(ref, ACCOUNT, KEYS, answering(...answers))

describe('a try whose channelRef is a session is asked by it', () => {
  it('an open one can be closed', async () => {
    expect(await asking(BY_SESSION, session('open'))).toEqual({
      outcome: { kind: 'notYet', code: 'SESSION_OPEN' },
      state: 'closable',
    })
  })

  it.each([
    ['complete', MADE_INTENT, 'succeeded', 'paid'],
    ['complete', MADE_INTENT, 'processing', 'moving'],
    ['expired', MADE_INTENT, 'canceled', 'closed'],
    ['complete', { payment_intent: { id: INTENT_ID, object: 'payment_intent' } }, 'succeeded', 'paid'],
  ])('%s with %j: its intent in %s decides, %s', async (status, changes, intentStatus, state) => {
    const found = intent({ status: intentStatus, metadata: {} })

    expect((await asking(BY_SESSION, session(status, changes), found)).state).toBe(state)
  })

  it('an expired one that made no intent is closed; a complete one without an intent is no answer', async () => {
    expect(await asking(BY_SESSION, session('expired'))).toMatchObject({ state: 'closed', outcome: { kind: 'done' } })
    expect(await asking(BY_SESSION, session('complete'))).toMatchObject({ state: 'unknown' })
    expect(await asking(BY_SESSION, session('of_tomorrow'))).toMatchObject({ state: 'unknown' })
  })

  it.each([{ livemode: true }, { metadata: { order_no: 'ORDER_0002' } }])('%j reaches no order', async (changes) => {
    expect(await asking(BY_SESSION, session('expired', changes))).toMatchObject({ outcome: { kind: 'mismatch' } })
  })

  it.each(['cart_12345', 'user 42 / cart'])(
    'a reference %s of the merchant’s own contradicts nothing',
    async (cart) => {
      expect(await asking(BY_SESSION, session('expired', { client_reference_id: cart }))).toMatchObject({
        state: 'closed',
      })
    },
  )

  it('one that Stripe does not know may be closed after expiry and grace', async () => {
    const missing = refusal(404, { code: 'resource_missing' })

    expect((await asking(BY_SESSION, missing)).state).toBe('unknown')
    expect((await asking({ ...OVER, channelRef: SESSION_ID }, missing)).state).toBe('closable')
  })
})

describe('the object that can be closed is closed, then asked', () => {
  it('an abandoned session is expired', async () => {
    const { answer, calls } = await closing(BY_SESSION, session('expired'), session('expired'))

    expect(answer).toMatchObject({ outcome: { kind: 'done' }, state: 'closed', event: { kind: 'closed' } })
    expect(calls).toEqual([EXPIRE, ASK])
  })

  it('its intent says what became of it', async () => {
    const expired = session('expired', MADE_INTENT)
    const { answer, calls } = await closing(BY_SESSION, expired, expired, intent({ status: 'canceled', metadata: {} }))

    expect(answer).toMatchObject({ state: 'closed' })
    expect(calls).toEqual([EXPIRE, ASK, ASK_INTENT])
  })

  it.each([
    ['complete', 'succeeded', 'paid'],
    ['complete', 'processing', 'moving'],
    ['expired', 'canceled', 'closed'],
  ])('"only open sessions" of one that is %s has it asked: %s is %s', async (status, intentStatus, state) => {
    const answers = [notOpen(status), session(status, MADE_INTENT), intent({ status: intentStatus })]

    const { answer, calls } = await closing(BY_SESSION, ...answers)

    expect(answer.state).toBe(state)
    expect(calls).toEqual([EXPIRE, ASK, ASK_INTENT])
  })

  it.each([
    ['an intent that Checkout made', OF_CHECKOUT],
    ['a refusal that leaves the intent payable', refusalWith('requires_payment_method')],
  ])('%s is closed by its session', async (_what, refused) => {
    const expired = session('expired', MADE_INTENT)
    const canceled = intent({ status: 'canceled' })

    const { answer, calls } = await closing(REF, refused, listed(SESSION_ID), expired, expired, canceled)

    expect(answer).toMatchObject({ outcome: { kind: 'done' }, state: 'closed' })
    expect(calls).toEqual([
      `POST /v1/payment_intents/${INTENT_ID}/cancel`,
      'GET /v1/checkout/sessions',
      EXPIRE,
      ASK,
      ASK_INTENT,
    ])
  })
})

describe('nothing closes without an answer', () => {
  it.each([
    ['no session is found', [OF_CHECKOUT, listed()]],
    ['the list does not answer', [OF_CHECKOUT, aFailure('timeout')]],
    ['the expiry does not answer', [OF_CHECKOUT, listed(SESSION_ID), aFailure('reset')]],
    ['the session is still open after it', [OF_CHECKOUT, listed(SESSION_ID), session('expired'), session('open')]],
    ['the list names something else', [OF_CHECKOUT, listed('../pi_1')]],
  ])('%s', async (_what, answers) => {
    expect((await closing({ ...OVER, channelRef: INTENT_ID }, ...answers)).answer.state).toBe('unknown')
  })
})

function refusalWith(status: string): HttpResult {
  const found = { id: INTENT_ID, object: 'payment_intent', status, livemode: false, metadata: {} }
  return refusal(400, { code: 'payment_intent_unexpected_state', payment_intent: found })
}

it('each expiry has an idempotency key of its own', async () => {
  const channel = { ...answering(session('expired'), session('expired')), nonce: () => `N${NOW_MS}` }

  await closeStripe(BY_SESSION, ACCOUNT, KEYS, channel)

  expect(channel.sent[0]?.headers).toMatchObject({ 'idempotency-key': `close-N${NOW_MS}` })
})
