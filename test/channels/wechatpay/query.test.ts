import { createPublicKey, createVerify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueryAnswer } from '../../../modules/channels/client.ts'
import { judgementOf } from '../../../modules/channels/refusal.ts'
import { readWechatpayKeys } from '../../../modules/channels/wechatpay/keys.ts'
import { queryWechatpay } from '../../../modules/channels/wechatpay/query.ts'
import { WECHATPAY_CODES, WECHATPAY_STATES } from '../../../modules/channels/wechatpay/states.ts'
import { parseOutTradeNo } from '../../../modules/core/ids.ts'
import { ALMOST_OVER, aFailure, anAnswer, answering, aRef, expectSoundAnswer, FAILURES, OVER } from '../client-setup.ts'
import { CHANNEL, NOW_SECONDS } from '../message-setup.ts'
import { KEYS, probe, query, refusal, signedAnswer, transaction } from './signed-answer.ts'
import { ACCOUNT, PAIR, SECRET } from './signed-notice.ts'

const NO_ANSWER = expect.objectContaining({ state: 'unknown', outcome: expect.objectContaining({ kind: 'unknown' }) })

it('a paid order becomes a fact with the channel’s number, money and time, whenever it is asked', async () => {
  const answer = await query(aRef(), signedAnswer(200, transaction()))

  expect(answer).toEqual({
    outcome: { kind: 'done' },
    state: 'paid',
    event: {
      channel: CHANNEL,
      eventId: 'query/4200000000202611020000000001',
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: '4200000000202611020000000001',
      money: { amount: 10000, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    },
  })
})

describe('query answers in turn', () => {
  const cases: readonly (readonly [string, Partial<QueryAnswer> | unknown])[] = [
    ['NOTPAY', { outcome: { kind: 'notYet', code: 'NOTPAY' }, state: 'closable' }],
    ['USERPAYING', { outcome: { kind: 'notYet', code: 'USERPAYING' }, state: 'moving' }],
    ['ACCEPT', { outcome: { kind: 'notYet', code: 'ACCEPT' }, state: 'moving' }],
    ['CLOSED', expect.objectContaining({ outcome: { kind: 'done', code: 'CLOSED' }, state: 'closed' })],
    ['REVOKED', expect.objectContaining({ outcome: { kind: 'done', code: 'REVOKED' }, state: 'closed' })],
    ['PAYERROR', expect.objectContaining({ outcome: { kind: 'notYet', code: 'PAYERROR' }, state: 'closable' })],
    ['SUCCESS', expect.objectContaining({ outcome: { kind: 'done' }, state: 'paid' })],
    ['REFUND', { outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' }, state: 'paid' }],
    ['FOO', NO_ANSWER],
    ['constructor', NO_ANSWER],
  ]

  it.each(cases)('%s', async (state, expected) => {
    const answer = await query(aRef(), signedAnswer(200, transaction({ trade_state: state })))

    expect(answer).toEqual(expected)
    expectSoundAnswer(answer)
  })

  it('every documented state is among them', () => {
    expect(cases.map(([state]) => state)).toEqual(expect.arrayContaining([...WECHATPAY_STATES.keys()]))
  })

  it.each([
    ['HTTP 500', refusal(500, 'SYSTEM_ERROR')],
    ['HTTP 502 of a proxy', anAnswer(502, '<html>')],
    ['a redirect', anAnswer(302, '', { location: 'https://elsewhere.invalid' })],
    ['a body that is cut off', signedAnswer(200, transaction().slice(0, 40))],
    ['no state at all', signedAnswer(200, transaction({ trade_state: undefined }))],
    ['a paid order without its amount', signedAnswer(200, transaction({ amount: {} }))],
  ])('%s is no answer and changes nothing', async (_what, result) => {
    expect(await query(OVER, result)).toEqual(NO_ANSWER)
  })

  it('closed at the channel, and failed for good, are facts of this payAttempt', async () => {
    const closed = await query(aRef(), signedAnswer(200, transaction({ trade_state: 'CLOSED' })))
    const failed = await query(aRef(), signedAnswer(200, transaction({ trade_state: 'PAYERROR' })))

    const common = { channel: CHANNEL, trust: 'fact', outTradeNo: 'ORDER_0001' }
    expect(closed.event).toEqual({ ...common, kind: 'closed', eventId: 'query/ORDER_0001/closed' })
    expect(failed.event).toEqual({ ...common, kind: 'failed', eventId: 'query/ORDER_0001/failed' })
  })
})

it('an order that was never created may be closed only after its own expiry and grace', async () => {
  const notFound = refusal(404, 'ORDER_NOT_EXIST')

  const outcome = { kind: 'notYet', code: 'ORDER_NOT_EXIST' }
  expect(await query(aRef(), notFound)).toEqual({ outcome, state: 'unknown' })
  expect(await query(ALMOST_OVER, notFound)).toEqual({ outcome, state: 'unknown' })
  expect(await query(OVER, notFound)).toEqual({ outcome, state: 'closable' })
})

it.each([...WECHATPAY_CODES])('%s comes to %s, with neither a state nor a personal detail', async (code, meaning) => {
  const answer = await query(OVER, refusal(400, code))

  expect(answer).toEqual({
    outcome: { ...judgementOf(meaning), code, httpStatus: 400, message: 'a text for ***' },
    state: 'unknown',
  })
})

it.each([
  ['ORDERNOTEXIST', 404, 'notYet'],
  ['ORDER_NOT_EXIST', 404, 'notYet'],
  ['SIGNERROR', 401, 'misconfigured'],
  ['NOAUTH', 403, 'misconfigured'],
  ['RULELIMIT', 403, 'rejected'],
  ['ParamError', 400, 'misconfigured'],
  ['FREQUENCYLIMITED', 429, 'transient'],
])('%s is one code however it is spelt', async (code, status, kind) => {
  expect((await query(aRef(), refusal(status, code))).outcome.kind).toBe(kind)
})

it.each(['USERPAYING', 'USER_PAYING'])('%s in the place of a state is money under way', async (code) => {
  expect(await query(OVER, signedAnswer(202, JSON.stringify({ code })))).toMatchObject({ state: 'moving' })
})

it.each([
  [401, 'FOO', 'misconfigured'],
  [403, 'FOO', 'unknown'],
  [404, 'FOO', 'unknown'],
  [400, 'ORDER_NOT_EXIST', 'unknown'],
  [429, 'FOO', 'transient'],
  [500, 'PARAM_ERROR', 'unknown'],
  [503, 'FOO', 'transient'],
])('HTTP %i with the unknown text %s comes to %s', async (status, code, kind) => {
  const answer = await query(OVER, refusal(status, code))

  expect(answer).toMatchObject({ outcome: { kind }, state: 'unknown' })
})

it('a wish for later is passed on', async () => {
  const answer = await query(aRef(), refusal(429, 'FREQUENCY_LIMITED', { 'retry-after': '30' }))

  expect(answer.outcome).toMatchObject({ kind: 'transient', retryAfterMs: 30_000 })
})

it.each(FAILURES)('the network failure %s comes to %s', async (type, kind) => {
  expect(await query(OVER, aFailure(type))).toEqual({ outcome: { kind, networkErrorType: type }, state: 'unknown' })
})

describe('signatures of answers', () => {
  const right = signedAnswer(200, transaction())

  it('an answer with a probe’s signature is not trusted, not read as unpaid, and asked again', async () => {
    const channel = answering(probe(200, transaction({ trade_state: 'NOTPAY' })), right)

    const answer = await queryWechatpay(aRef(), ACCOUNT, KEYS, channel)

    expect(answer).toMatchObject({ state: 'paid', outcome: { kind: 'done' } })
    expect(channel.sent).toHaveLength(2)
    expect(channel.sent[0]?.headers['authorization']).not.toBe(channel.sent[1]?.headers['authorization'])
  })

  it('two probes in a row are no answer, and nobody asks for ever', async () => {
    const twice = probe(200, transaction())

    expect(await query(aRef(), twice, twice)).toMatchObject({
      outcome: { kind: 'unknown', code: 'ANSWER_NOT_SIGNED' },
      state: 'unknown',
    })
  })

  it('an unknown serial is no answer and fetches nothing', async () => {
    const other = readWechatpayKeys(
      JSON.stringify({ ...SECRET, platformKeys: { ANOTHER: Object.values(SECRET.platformKeys)[0] } }),
    )
    const channel = answering(right)

    const answer = await queryWechatpay(aRef(), ACCOUNT, { ...KEYS, platformKeys: other.platformKeys }, channel)

    expect(answer).toEqual(NO_ANSWER)
    expect(channel.sent).toHaveLength(1)
  })

  it.each([
    ['unsigned', anAnswer(200, transaction())],
    ['altered', { ...right, body: Buffer.from(transaction({ trade_state: 'NOTPAY' })) }],
    ['signed six minutes ago', signedAnswer(200, transaction(), NOW_SECONDS - 360)],
    ['signed ahead of time', signedAnswer(200, transaction(), NOW_SECONDS + 360)],
  ])('an answer that is %s is none', async (_how, result) => {
    expect(await query(OVER, result)).toEqual(NO_ANSWER)
  })

  it('whatever byte of an answer is altered, it is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (position, change) => {
        const body = Buffer.from(transaction())
        const index = position % body.length
        body[index] = (body[index] ?? 0) ^ change
        expect(await query(OVER, { ...right, body } as typeof right)).toEqual(NO_ANSWER)
      }),
      { numRuns: 50 },
    )
  })
})

it.each([
  ['out_trade_no', { out_trade_no: 'ORDER_0002' }],
  ['mchid', { mchid: '1900000002' }],
  ['appid', { appid: 'wx0000000000000002' }],
])('an answer with another %s reaches no order', async (field, changes) => {
  const answer = await query(aRef(), signedAnswer(200, transaction(changes)))

  expect(answer).toMatchObject({ outcome: { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }, state: 'unknown' })
  expect(answer.outcome.message).toContain(field)
  expect(answer).not.toHaveProperty('event')
})

it('money of another amount or in a coupon is told as it is: the decision table judges', async () => {
  const answer = await query(aRef(), signedAnswer(200, transaction({ amount: { total: 1, payer_total: 0 } })))

  expect(answer.event?.money).toEqual({ amount: 1, currency: 'CNY' })
})

it('a request is signed over the very path that is sent', async () => {
  const channel = answering(refusal(404, 'ORDER_NOT_EXIST'))
  const odd = parseOutTradeNo('A*b|c_-1') ?? expect.unreachable()
  await queryWechatpay(aRef({ outTradeNo: odd }), { ...ACCOUNT, apiBase: 'https://mock.invalid/' }, KEYS, channel)

  const [request] = channel.sent
  expect(request?.url.href).toBe('https://mock.invalid/v3/pay/transactions/out-trade-no/A*b%7Cc_-1?mchid=1900000001')
  expect(request?.headers).toMatchObject({
    accept: 'application/json',
    'wechatpay-serial': Object.keys(SECRET.platformKeys)[0],
  })
  const authorization = request?.headers['authorization'] ?? ''
  const signature = /signature="([^"]+)"/.exec(authorization)?.[1] ?? ''
  const message = `GET\n${request?.url.pathname}${request?.url.search}\n${NOW_SECONDS}\n0NCE0\n\n`
  expect(authorization).toMatch(/^WECHATPAY2-SHA256-RSA2048 mchid="1900000001",nonce_str="0NCE0",signature=/)
  expect(authorization).toMatch(/,timestamp="1793584800",serial_no="ABC123"$/)
  expect(createVerify('sha256').update(message).verify(createPublicKey(PAIR.privateKey), signature, 'base64')).toBe(
    true,
  )
})

it('without the merchant’s key nothing is asked, and the setting is named', async () => {
  const channel = answering()
  const answer = await queryWechatpay(aRef(), ACCOUNT, readWechatpayKeys(JSON.stringify(SECRET)), channel)

  expect(answer).toMatchObject({ outcome: { kind: 'misconfigured', code: 'KEY_MISSING' }, state: 'unknown' })
  expect(answer.outcome.message).toContain('merchantSerial')
  expect(channel.sent).toEqual([])
})

it('no bytes and no status throw or make a final answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 100, max: 599 }), async (bytes, status) => {
      const answer = await query(OVER, { kind: 'answer', status, headers: {}, body: Buffer.from(bytes) })
      expectSoundAnswer(answer)
      expect(answer.state).toBe('unknown')
    }),
  )
})
