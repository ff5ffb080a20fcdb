import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PayAttemptRef } from '../../../modules/channels/client.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import { queryPaypal } from '../../../modules/channels/paypal/query.ts'
import type { PaypalSession } from '../../../modules/channels/paypal/session.ts'
import { PAYPAL_CAPTURE_STATES, PAYPAL_CODES, PAYPAL_ORDER_STATES } from '../../../modules/channels/paypal/states.ts'
import { judgementOf } from '../../../modules/channels/refusal.ts'
import { parseChannelTxnId } from '../../../modules/core/ids.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
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
import { ACCOUNT, CAPTURE } from './signed-event.ts'

const KEYS = { clientId: 'app', clientSecret: 'app-secret' }
const TOKEN = anAnswer(200, JSON.stringify({ access_token: 'A21-token', expires_in: 31_668 }))
const REF = aRef({ channelRef: 'PAYPALORDER1' })
const OVER_REF = { ...OVER, channelRef: 'PAYPALORDER1' }
const NO_ANSWER = expect.objectContaining({ state: 'unknown', outcome: expect.objectContaining({ kind: 'unknown' }) })

function order(status: string | undefined, ...captures: readonly unknown[]): HttpResult {
  return anAnswer(
    200,
    JSON.stringify({
      id: 'PAYPALORDER1',
      status,
      purchase_units: [{ custom_id: 'ORDER_0001', payments: { captures } }],
    }),
  )
}

function capture(changes: Readonly<Record<string, unknown>> = {}): HttpResult {
  return anAnswer(200, JSON.stringify({ ...CAPTURE, ...changes }))
}

function withToken(): PaypalSession {
  return { keys: KEYS, token: { text: 'A21-token', goodUntilMs: NOW_MS + 1 } }
}

function query(ref: PayAttemptRef, ...results: readonly HttpResult[]) {
  return queryPaypal(ref, ACCOUNT, withToken(), answering(...results))
}

it('the order leads to its capture, whose amount and time are the fact', async () => {
  const channel = answering(TOKEN, order('COMPLETED', { id: 'CAPTURE1', status: 'COMPLETED' }), capture())

  const answer = await queryPaypal(REF, ACCOUNT, { keys: KEYS }, channel)

  expect(answer).toEqual({
    outcome: { kind: 'done' },
    state: 'paid',
    event: {
      channel: CHANNEL,
      eventId: 'query/CAPTURE1',
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: 'CAPTURE1',
      money: { amount: 8800, currency: 'USD' },
      paidAt: '2026-11-02T01:59:52.000Z',
    },
  })
  expect(channel.sent.map(({ url }) => url.href)).toEqual([
    'https://api-m.paypal.com/v1/oauth2/token',
    'https://api-m.paypal.com/v2/checkout/orders/PAYPALORDER1',
    'https://api-m.paypal.com/v2/payments/captures/CAPTURE1',
  ])
  expect(channel.sent[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('app:app-secret').toString('base64')}`)
  expect(channel.sent[1]?.headers['authorization']).toBe('Bearer A21-token')
})

describe('an e-check: pending is not paid, and denied two days later is not either', () => {
  const ask = (status: string) => query(OVER_REF, order('COMPLETED', { id: 'CAPTURE1', status }), capture({ status }))

  it('PENDING keeps the payAttempt as it is', async () => {
    const pending = { status: 'PENDING', status_details: { reason: 'ECHECK' } }
    const answer = await query(OVER_REF, order('COMPLETED', { id: 'CAPTURE1', ...pending }), capture(pending))

    expect(answer).toEqual({ outcome: { kind: 'notYet', code: 'CAPTURE_PENDING_ECHECK' }, state: 'moving' })
  })

  it.each(['DECLINED', 'FAILED'])('%s is not paid', async (status) => {
    expect(await ask(status)).toMatchObject({
      outcome: { kind: 'notYet' },
      state: 'closable',
      event: { kind: 'failed', outTradeNo: 'ORDER_0001' },
    })
  })

  it('COMPLETED is paid', async () => {
    expect(await ask('COMPLETED')).toMatchObject({ outcome: { kind: 'done' }, state: 'paid' })
  })
})

describe('query answers in turn', () => {
  it.each(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED', 'APPROVED'])(
    '%s cannot be closed at PayPal, so it is waited out',
    async (status) => {
      const outcome = { kind: 'notYet', code: status }
      expect(await query(REF, order(status))).toEqual({ outcome, state: 'unknown' })
      expect(await query({ ...ALMOST_OVER, channelRef: 'O' }, order(status))).toEqual({ outcome, state: 'unknown' })
      expect(await query(OVER_REF, order(status))).toEqual({ outcome, state: 'closable' })
    },
  )

  it('VOIDED is closed', async () => {
    expect(await query(REF, order('VOIDED'))).toMatchObject({
      outcome: { kind: 'done' },
      state: 'closed',
      event: { kind: 'closed' },
    })
  })

  it.each([
    ['COMPLETED', 'paid', 'done'],
    ['PARTIALLY_REFUNDED', 'paid', 'done'],
    ['REFUNDED', 'paid', 'notYet'],
    ['PENDING', 'moving', 'notYet'],
    ['DECLINED', 'closable', 'notYet'],
    ['FAILED', 'closable', 'notYet'],
    ['FOO', 'unknown', 'unknown'],
  ])('a capture that is %s is %s', async (status, state, kind) => {
    const answer = await query(OVER_REF, order('COMPLETED', { id: 'CAPTURE1', status }), capture({ status }))

    expect(answer).toMatchObject({ state, outcome: { kind } })
    expectSoundAnswer(answer)
  })

  it('what was given back in full starts no delivery', async () => {
    const status = 'REFUNDED'
    const answer = await query(OVER_REF, order('COMPLETED', { id: 'CAPTURE1', status }), capture({ status }))

    expect(answer).toEqual({ outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' }, state: 'paid' })
  })

  it.each([
    ['an unknown status', order('FOO')],
    ['no status', order(undefined)],
    ['completed without a capture', order('COMPLETED')],
    ['HTTP 500', anAnswer(500, '')],
    ['a body that is cut off', anAnswer(200, '{"id":"PAYPAL')],
    ['a redirect', anAnswer(302, '{}')],
    ['not found, in other words', anAnswer(404, '<html>')],
  ])('%s is no answer', async (_what, result) => {
    expect(await query(OVER_REF, result)).toEqual(NO_ANSWER)
  })

  it.each([
    ['is not found', anAnswer(404, JSON.stringify({ name: 'RESOURCE_NOT_FOUND' }))],
    ['has no amount', capture({ amount: undefined })],
  ])('a capture that %s is no answer', async (_what, result) => {
    expect(await query(OVER_REF, order('COMPLETED', { id: 'C', status: 'COMPLETED' }), result)).toEqual(NO_ANSWER)
  })

  it('every documented state was asked for above', () => {
    expect([...PAYPAL_ORDER_STATES.keys()].toSorted()).toEqual([
      'APPROVED',
      'COMPLETED',
      'CREATED',
      'PAYER_ACTION_REQUIRED',
      'SAVED',
      'VOIDED',
    ])
    expect([...PAYPAL_CAPTURE_STATES.keys()].toSorted()).toEqual([
      'COMPLETED',
      'DECLINED',
      'FAILED',
      'PARTIALLY_REFUNDED',
      'PENDING',
      'REFUNDED',
    ])
  })
})

it('of several captures a paid one decides, then one under way, and a failed one last', async () => {
  const failed = { id: 'FAILED1', status: 'DECLINED' }
  const pending = { id: 'PENDING1', status: 'PENDING' }
  const paid = { id: 'CAPTURE1', status: 'COMPLETED' }
  const asked = async (...captures: readonly unknown[]) => {
    const channel = answering(order('COMPLETED', ...captures), capture())
    await queryPaypal(REF, ACCOUNT, withToken(), channel)
    return channel.sent[1]?.url.pathname.split('/').at(-1)
  }

  expect(await asked(failed, pending, paid)).toBe('CAPTURE1')
  expect(await asked(failed, pending)).toBe('PENDING1')
  expect(await asked(failed)).toBe('FAILED1')
})

it('after a refused capture the buyer may choose again, so the order still waits', async () => {
  const answer = await query(REF, order('PAYER_ACTION_REQUIRED', { id: 'C', status: 'DECLINED' }))

  expect(answer).toEqual({ outcome: { kind: 'notYet', code: 'PAYER_ACTION_REQUIRED' }, state: 'unknown' })
})

it('an order that PayPal does not know is closable only after expiry and grace', async () => {
  const notFound = anAnswer(404, JSON.stringify({ name: 'RESOURCE_NOT_FOUND' }))

  expect(await query(REF, notFound)).toMatchObject({ outcome: { kind: 'notYet' }, state: 'unknown' })
  expect(await query(OVER_REF, notFound)).toMatchObject({ outcome: { kind: 'notYet' }, state: 'closable' })
})

it.each([...PAYPAL_CODES])('%s comes to %s', async (name, meaning) => {
  expect(await query(OVER_REF, anAnswer(400, JSON.stringify({ name })))).toEqual({
    outcome: { ...judgementOf(meaning), code: name.toUpperCase(), httpStatus: 400 },
    state: 'unknown',
  })
})

it.each([
  [403, 'unknown'],
  [422, 'unknown'],
  [429, 'transient'],
  [500, 'unknown'],
  [503, 'transient'],
])('HTTP %i with an unknown text comes to %s', async (status, kind) => {
  const answer = await query(OVER_REF, anAnswer(status, '{"name":"foo"}'))

  expect(answer).toMatchObject({ outcome: { kind }, state: 'unknown' })
})

it.each(FAILURES)('the network failure %s comes to %s', async (type, kind) => {
  expect(await query(OVER_REF, aFailure(type))).toEqual({ outcome: { kind, networkErrorType: type }, state: 'unknown' })
})

describe('without an order’s id', () => {
  const channelTxnId = parseChannelTxnId('CAPTURE1') ?? expect.unreachable()

  it('the capture that a hint named is asked for, and must name our number', async () => {
    const named = await query(aRef({ channelTxnId }), capture())
    const nameless = await query(aRef({ channelTxnId }), capture({ custom_id: undefined, invoice_id: undefined }))

    expect(named).toMatchObject({ state: 'paid', event: { channelTxnId: 'CAPTURE1' } })
    expect(nameless).toMatchObject({ outcome: { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }, state: 'unknown' })
  })

  it('nothing can be asked, and the payAttempt is waited out', async () => {
    expect(await query(aRef())).toEqual({ outcome: { kind: 'notYet', code: 'NO_CHANNEL_REF' }, state: 'unknown' })
    expect(await query(OVER)).toEqual({ outcome: { kind: 'notYet', code: 'NO_CHANNEL_REF' }, state: 'closable' })
  })
})

it('an order or capture of another number reaches no order', async () => {
  const other = { custom_id: 'ORDER_0002', invoice_id: 'ORDER_0003' }
  const foreignOrder = anAnswer(200, JSON.stringify({ status: 'VOIDED', purchase_units: [other] }))

  expect(await query(REF, foreignOrder)).toMatchObject({ outcome: { kind: 'mismatch' }, state: 'unknown' })
  expect(await query(REF, order('COMPLETED', { id: 'C', status: 'COMPLETED' }), capture(other))).toMatchObject({
    outcome: { kind: 'mismatch' },
    state: 'unknown',
  })
})

describe('the token', () => {
  const waiting = order('CREATED')
  const refused = anAnswer(401, JSON.stringify({ error: 'invalid_token' }))

  it('is kept over questions, and fetched anew before its time is over', async () => {
    const session: PaypalSession = { keys: KEYS }
    const first = answering(TOKEN, waiting)
    const second = answering(waiting)
    const later = { ...answering(TOKEN, waiting), nowMs: () => NOW_MS + 31_668_000 - 60_000 }

    await queryPaypal(REF, ACCOUNT, session, first)
    await queryPaypal(REF, ACCOUNT, session, second)
    await queryPaypal(REF, ACCOUNT, session, later)

    expect([first, second, later].map(({ sent }) => sent.length)).toEqual([2, 1, 2])
  })

  it('that was revoked is fetched anew once', async () => {
    const channel = answering(refused, TOKEN, waiting)

    expect(await queryPaypal(REF, ACCOUNT, withToken(), channel)).toMatchObject({ outcome: { kind: 'notYet' } })
    expect(channel.sent).toHaveLength(3)
  })

  it('that is refused when it is new is ours to fix, and nobody asks for ever', async () => {
    expect(await queryPaypal(REF, ACCOUNT, { keys: KEYS }, answering(TOKEN, refused))).toMatchObject({
      outcome: { kind: 'misconfigured' },
      state: 'unknown',
    })
    expect(await queryPaypal(REF, ACCOUNT, withToken(), answering(refused, TOKEN, refused))).toMatchObject({
      outcome: { kind: 'misconfigured' },
    })
  })

  it.each([
    ['is refused', anAnswer(401, '{"error":"invalid_client"}'), 'misconfigured'],
    ['is limited', anAnswer(429, ''), 'transient'],
    ['fails', anAnswer(500, ''), 'transient'],
    ['is cut off', anAnswer(200, '{"access_tok'), 'transient'],
    ['has a line break', anAnswer(200, '{"access_token":"a\\r\\nb","expires_in":9}'), 'transient'],
    ['times out', aFailure('timeout'), 'transient'],
  ])('whose request %s: nothing was asked', async (_how, result, kind) => {
    expect(await queryPaypal(OVER_REF, ACCOUNT, { keys: KEYS }, answering(result))).toMatchObject({
      outcome: { kind },
      state: 'unknown',
    })
  })

  it.each([{}, { clientId: 'app' }])('of keys %j is not even asked for', async (keys) => {
    expect(await queryPaypal(REF, ACCOUNT, { keys }, answering())).toMatchObject({
      outcome: { kind: 'misconfigured', code: 'KEY_MISSING' },
    })
  })
})

it('a refused request for a token is never one question’s fault', async () => {
  const refused = anAnswer(400, JSON.stringify({ name: 'INVALID_REQUEST' }))

  expect(await queryPaypal(REF, ACCOUNT, { keys: KEYS }, answering(refused))).toEqual({
    outcome: { kind: 'misconfigured', code: 'INVALID_REQUEST', httpStatus: 400 },
    state: 'unknown',
  })
})

it('PayPal has no close: that is unsupported', () => {
  expect(clientOf(ACCOUNT)).toMatchObject({ canQuery: true, canClose: false })
  expect(clientOf(ACCOUNT).openKeys('{}')).not.toHaveProperty('close')
})

it('the sandbox and an own address are asked where they are', async () => {
  const sandbox = answering(order('CREATED'))
  const own = answering(order('CREATED'))
  await queryPaypal(REF, { ...ACCOUNT, sandbox: true }, withToken(), sandbox)
  await queryPaypal(REF, { ...ACCOUNT, apiBase: 'http://127.0.0.1:9' }, withToken(), own)

  expect(sandbox.sent[0]?.url.origin).toBe('https://api-m.sandbox.paypal.com')
  expect(own.sent[0]?.url.origin).toBe('http://127.0.0.1:9')
})

it('no bytes, status or content throw, and nothing definite is made of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      fc.integer({ min: 100, max: 599 }),
      async (bytes, status) => {
        const answer = await queryPaypal(OVER_REF, ACCOUNT, withToken(), {
          ...answering(),
          http: async () => ({ kind: 'answer', status, headers: {}, body: Buffer.from(bytes) }),
        })
        expectSoundAnswer(answer)
        expect(answer.state).toBe('unknown')
      },
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...Object.keys(CAPTURE)), fc.jsonValue()), async (changes) => {
      expectSoundAnswer(await query(REF, order('COMPLETED', { id: 'C', status: 'PENDING' }), capture(changes)))
    }),
  )
})

it('a capture decides whatever the order says', async () => {
  const paid = await query(REF, order('APPROVED', { id: 'CAPTURE1', status: 'COMPLETED' }), capture())
  const pending = await query(
    OVER_REF,
    order('APPROVED', { id: 'C', status: 'PENDING' }),
    capture({ status: 'PENDING' }),
  )

  expect(paid).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
  expect(pending).toMatchObject({ state: 'moving' })
})
