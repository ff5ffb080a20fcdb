import { describe, expect, it } from 'vitest'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering, aRef, OVER } from '../client-setup.ts'
import { ACCOUNT, INTENT, INTENT_ID, intent, KEYS, REF, refusal, unexpectedState } from './api-answers.ts'

const SESSION = { id: 'cs_test_1', object: 'checkout.session', livemode: false, client_reference_id: 'ORDER_0001' }
const OF_SESSION = aRef({ channelRef: SESSION.id })
const EXPIRE = `POST /v1/checkout/sessions/${SESSION.id}/expire`
const ASK = `GET /v1/checkout/sessions/${SESSION.id}`
const ASK_INTENT = `GET /v1/payment_intents/${INTENT_ID}`

const session = (changes: object) => anAnswer(200, JSON.stringify({ ...SESSION, ...changes }))
const notOpen = refusal(400, {
  type: 'invalid_request_error',
  message: 'Only Checkout Sessions with a status in ["open"] can be expired. This Session has a status of `complete`.',
})

async function closing(ref: typeof REF, ...answers: readonly HttpResult[]) {
  const channel = answering(...answers)
  const answer = await closeStripe(ref, ACCOUNT, KEYS, channel)
  return { answer, calls: channel.sent.map(({ method, url }) => `${method} ${url.pathname}`) }
}

describe('a try is asked by its Checkout Session', () => {
  it.each([
    ['open', [session({ status: 'open' })], 'closable'],
    ['complete', [session({ status: 'complete', payment_intent: INTENT_ID }), intent()], 'paid'],
    ['complete', [session({ status: 'complete', payment_intent: INTENT }), intent()], 'paid'],
    [
      'complete',
      [session({ status: 'complete', payment_intent: INTENT_ID }), intent({ status: 'processing' })],
      'moving',
    ],
    ['complete', [session({ status: 'complete', payment_intent: null })], 'unknown'],
    ['expired', [session({ status: 'expired', payment_intent: null })], 'closed'],
    ['expired', [session({ status: 'expired', payment_intent: INTENT_ID }), intent()], 'paid'],
    ['brand_new', [session({ status: 'brand_new' })], 'unknown'],
    ['of another order', [session({ status: 'expired', client_reference_id: 'ORDER_0002' })], 'unknown'],
    ['of the other mode', [session({ status: 'expired', livemode: true })], 'unknown'],
  ])('%s', async (_what, answers, state) => {
    expect(await queryStripe(OF_SESSION, ACCOUNT, KEYS, answering(...answers))).toMatchObject({ state })
  })

  it('one that is not found closes nothing before the try is over', async () => {
    const missing = refusal(404, { code: 'resource_missing' })
    const ask = (ref: typeof REF) => queryStripe({ ...ref, channelRef: SESSION.id }, ACCOUNT, KEYS, answering(missing))

    expect((await ask(REF)).state).toBe('unknown')
    expect((await ask(OVER)).state).toBe('closable')
  })
})

describe('what can be closed is closed, and then asked', () => {
  it('an open session expires', async () => {
    const { answer, calls } = await closing(
      OF_SESSION,
      session({}),
      session({ status: 'expired', payment_intent: null }),
    )

    expect(answer).toMatchObject({ state: 'closed', event: { kind: 'closed' } })
    expect(calls).toEqual([EXPIRE, ASK])
  })

  it('one that is complete by now was paid', async () => {
    const complete = session({ status: 'complete', payment_intent: INTENT_ID })
    const { answer, calls } = await closing(OF_SESSION, notOpen, complete, intent())

    expect(answer).toMatchObject({ state: 'paid', event: { channelTxnId: INTENT_ID } })
    expect(calls).toEqual([EXPIRE, ASK, ASK_INTENT])
  })

  it('an expired session that still looks open closes nothing', async () => {
    const { answer } = await closing(OF_SESSION, session({}), session({ status: 'open' }))

    expect(answer).toMatchObject({ state: 'unknown', outcome: { code: 'STILL_SESSION_OPEN' } })
  })

  it.each([
    ['payable as it stands', unexpectedState('requires_payment_method')],
    [
      'named by its message',
      refusal(400, { type: 'invalid_request_error', message: 'Created by Checkout: expire it.' }),
    ],
  ])('an intent that Checkout made, %s, ends with its session', async (_what, refused) => {
    const listed = anAnswer(200, JSON.stringify({ data: [SESSION] }))
    const ended = session({ status: 'expired', payment_intent: INTENT_ID })
    const { answer, calls } = await closing(REF, refused, listed, session({}), ended, intent({ status: 'canceled' }))

    expect(answer).toMatchObject({ state: 'closed' })
    expect(calls.slice(1)).toEqual(['GET /v1/checkout/sessions', EXPIRE, ASK, ASK_INTENT])
  })

  it('an intent that no session made and that cannot be cancelled stays as it is', async () => {
    const none = anAnswer(200, JSON.stringify({ data: [] }))
    const { answer } = await closing(REF, unexpectedState('requires_action'), none)

    expect(answer).toMatchObject({ state: 'unknown', outcome: { code: 'STILL_REQUIRES_ACTION' } })
  })
})
