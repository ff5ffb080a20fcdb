import { createVerify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestStringOf } from '../../../modules/channels/alipay/call.ts'
import { readAlipayKeys } from '../../../modules/channels/alipay/keys.ts'
import { queryAlipay } from '../../../modules/channels/alipay/query.ts'
import { ALIPAY_GATEWAY_CODES, ALIPAY_STATES } from '../../../modules/channels/alipay/states.ts'
import { judgementOf } from '../../../modules/channels/refusal.ts'
import { ALMOST_OVER, aFailure, anAnswer, answering, aRef, expectSoundAnswer, FAILURES, OVER } from '../client-setup.ts'
import { CHANNEL } from '../message-setup.ts'
import { ACCOUNT, APP, KEYS, query, refusal, signatureOf, signedText, TRADE, trade } from './signed-answer.ts'

const NO_ANSWER = expect.objectContaining({ state: 'unknown', outcome: expect.objectContaining({ kind: 'unknown' }) })

it('a paid trade becomes a fact with Alipay’s number, money and time, asked by our own number', async () => {
  expect(await query(aRef(), trade())).toEqual({
    outcome: { kind: 'done' },
    state: 'paid',
    event: {
      channel: CHANNEL,
      eventId: 'query/2026110222001400000000000001',
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: '2026110222001400000000000001',
      money: { amount: 10000, currency: 'CNY' },
      paidAt: '2026-11-02T01:59:57.000Z',
    },
  })
})

describe('query answers in turn', () => {
  const unpaid = { send_pay_date: undefined }
  const cases: readonly (readonly [string, object, unknown])[] = [
    ['WAIT_BUYER_PAY', unpaid, { outcome: { kind: 'notYet', code: 'WAIT_BUYER_PAY' }, state: 'closable' }],
    [
      'TRADE_SUCCESS',
      {},
      expect.objectContaining({ state: 'paid', event: expect.objectContaining({ kind: 'payment' }) }),
    ],
    [
      'TRADE_FINISHED',
      {},
      expect.objectContaining({ state: 'paid', event: expect.objectContaining({ kind: 'payment' }) }),
    ],
    [
      'TRADE_CLOSED',
      unpaid,
      expect.objectContaining({ state: 'closed', event: expect.objectContaining({ kind: 'closed' }) }),
    ],
    ['TRADE_CLOSED', {}, { outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' }, state: 'paid' }],
    ['FOO', {}, NO_ANSWER],
    ['', {}, NO_ANSWER],
  ]

  it.each(cases)('%s %j', async (status, changes, expected) => {
    const answer = await query(OVER, trade({ trade_status: status, ...changes }))

    expect(answer).toEqual(expected)
    expectSoundAnswer(answer)
  })

  it('every documented status is among them', () => {
    expect(cases.map(([status]) => status)).toEqual(expect.arrayContaining([...ALIPAY_STATES.keys()]))
  })

  it.each([
    ['HTTP 500', anAnswer(500, '')],
    ['a page of a proxy', anAnswer(200, '<html>')],
    ['a redirect', anAnswer(302, '')],
    ['a body that is cut off', anAnswer(200, '{"alipay_trade_query_response":{"code":"10000","trade_st')],
    ['a paid trade without its amount', trade({ total_amount: undefined })],
    ['a paid trade with a float', trade({ total_amount: 100.5 })],
    ['a paid trade without its number', trade({ trade_no: '' })],
    ['a body that is another answer', anAnswer(200, '{"alipay_trade_close_response":{"code":"10000"},"sign":"x"}')],
  ])('%s is no answer', async (_what, result) => {
    expect(await query(OVER, result)).toEqual(NO_ANSWER)
  })
})

it.each(['ACQ.TRADE_NOT_EXIST', 'TRADE_NOT_EXIST'])(
  '%s is closable only after the payAttempt’s own expiry and grace: the buyer may still open the page',
  async (subCode) => {
    const outcome = { kind: 'notYet', code: 'TRADE_NOT_EXIST' }
    expect(await query(aRef(), refusal('query', '40004', subCode))).toEqual({ outcome, state: 'unknown' })
    expect(await query(ALMOST_OVER, refusal('query', '40004', subCode))).toEqual({ outcome, state: 'unknown' })
    expect(await query(OVER, refusal('query', '40004', subCode))).toEqual({ outcome, state: 'closable' })
  },
)

it.each([...ALIPAY_GATEWAY_CODES])('gateway code %s comes to %s', async (code, meaning) => {
  const answer = await query(OVER, refusal('query', code))

  expect(answer).toEqual({
    outcome: { ...judgementOf(meaning), code: `ALIPAY_${code}`, httpStatus: 200, message: '交易 *** 不存在' },
    state: 'unknown',
  })
})

it.each<[code: string, subCode: string | undefined, kind: string, state: string]>([
  ['10003', undefined, 'notYet', 'moving'],
  ['40004', 'ACQ.SYSTEM_ERROR', 'unknown', 'unknown'],
  ['40004', 'ACQ.INVALID_PARAMETER', 'misconfigured', 'unknown'],
  ['40004', 'AQC.SYSTEM_ERROR', 'unknown', 'unknown'],
  ['40004', 'ACQ.FOO', 'unknown', 'unknown'],
  ...[
    'isv.insufficient-isv-permissions',
    'isv.insufficient-user-permissions',
    'ISV.INSUFFICIENT_ISV_PERMISSIONS',
    'ACQ.ACCESS_FORBIDDEN',
    'ACCESS_FORBIDDEN',
    'ACQ.PARTNER_ERROR',
    'ACQ.MERCHANT_STATUS_NOT_NORMAL',
    'ACQ.MERCHANT_AGREEMENT_NOT_EXIST',
    'aop.invalid-app-auth-token',
  ].map((subCode) => ['40004', subCode, 'misconfigured', 'unknown'] satisfies [string, string, string, string]),
  ['40004', 'isv.app-call-limited', 'transient', 'unknown'],
  ['40004', 'constructor', 'unknown', 'unknown'],
  ['77777', undefined, 'unknown', 'unknown'],
])('%s %s comes to %s', async (code, subCode, kind, state) => {
  expect(await query(OVER, refusal('query', code, subCode))).toMatchObject({ outcome: { kind }, state })
})

it.each([
  ['40004', 'ACQ.INVALID_PARAMETER', 'request'],
  ['40002', 'isv.invalid-parameter', 'request'],
  ['40002', 'isv.invalid-signature', undefined],
  ['40002', 'isv.invalid-app-id', undefined],
  ['40001', 'isv.missing-parameter', undefined],
])(
  'of %s %s the suspect is %s: a parameter is this request’s, a key is everybody’s',
  async (code, subCode, suspect) => {
    const { outcome } = await query(OVER, refusal('query', code, subCode))

    expect(outcome.kind).toBe('misconfigured')
    expect(outcome.suspect).toBe(suspect)
  },
)

it('a proxy’s 429 and 503 are for later', async () => {
  expect(await query(OVER, anAnswer(429, '', { 'retry-after': '3' }))).toMatchObject({
    outcome: { kind: 'transient', retryAfterMs: 3000 },
  })
  expect(await query(OVER, anAnswer(503, ''))).toMatchObject({ outcome: { kind: 'transient' }, state: 'unknown' })
})

it.each(FAILURES)('the network failure %s comes to %s', async (type, kind) => {
  expect(await query(OVER, aFailure(type))).toEqual({ outcome: { kind, networkErrorType: type }, state: 'unknown' })
})

describe('signatures of answers', () => {
  const body = (inner: string, sign: string) =>
    anAnswer(200, `{"alipay_trade_query_response":${inner},"sign":"${sign}"}`)
  const paid = JSON.stringify(TRADE)

  it('the raw text is checked: spaces, escapes and the order of names stay', async () => {
    const inner =
      ' {"msg":"\\u4e2d\\/",  "trade_status":"WAIT_BUYER_PAY", "out_trade_no":"ORDER_0001","code" : "10000"}'.trim()

    expect(await query(aRef(), signedText('query', inner))).toMatchObject({ state: 'closable' })
  })

  it.each([
    ['unsigned', anAnswer(200, `{"alipay_trade_query_response":${paid}}`)],
    ['signed with nothing', body(paid, '')],
    ['signed over something else', body(paid, signatureOf('{}'))],
    [
      'a second time in the body',
      anAnswer(
        200,
        `{"alipay_trade_query_response":{"code":"10000"},"alipay_trade_query_response":${paid},"sign":"${signatureOf(paid)}"}`,
      ),
    ],
    [
      'an unsigned "not exist"',
      anAnswer(200, '{"alipay_trade_query_response":{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}}'),
    ],
    ['an unsigned "waiting"', anAnswer(200, '{"alipay_trade_query_response":{"code":"10003"}}')],
  ])('an answer that is %s is none', async (_how, result) => {
    expect(await query(OVER, result)).toEqual(NO_ANSWER)
  })

  it('whatever character of a signed answer is altered, it is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(paid.length - 1), fc.integer({ min: 32, max: 126 }), async (position, code) => {
        const altered = paid.slice(0, position) + String.fromCharCode(code) + paid.slice(position + 1)
        if (altered !== paid) expect(await query(OVER, body(altered, signatureOf(paid)))).toEqual(NO_ANSWER)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ['40002', 'isv.invalid-signature'],
    ['40001', 'isv.missing-app-id'],
  ])(
    'a gateway’s refusal of our key or id (%s) is believed unsigned, since it is never signed',
    async (code, subCode) => {
      const inner = JSON.stringify({ code, msg: 'Invalid Arguments', sub_code: subCode })

      const answer = await query(OVER, anAnswer(200, `{"error_response":${inner}}`))

      expect(answer).toMatchObject({ outcome: { kind: 'misconfigured' }, state: 'unknown' })
    },
  )
})

it('an answer about another number reaches no order', async () => {
  const answer = await query(OVER, trade({ out_trade_no: 'ORDER_0002' }))

  expect(answer).toMatchObject({ outcome: { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }, state: 'unknown' })
  expect(answer).not.toHaveProperty('event')
})

it('a request is a form signed over its sorted parameters, sign_type included', async () => {
  const channel = answering(trade())
  await queryAlipay(aRef(), { ...ACCOUNT, apiBase: 'https://openapi-sandbox.dl.alipaydev.com' }, KEYS, channel)

  const [request] = channel.sent
  const form = new URLSearchParams(request?.body)
  const signature = form.get('sign') ?? ''
  form.delete('sign')
  expect(request?.url.href).toBe('https://openapi-sandbox.dl.alipaydev.com/gateway.do')
  expect(Object.fromEntries(form)).toEqual({
    app_id: '2026000100010001',
    biz_content: '{"out_trade_no":"ORDER_0001"}',
    charset: 'utf-8',
    format: 'JSON',
    method: 'alipay.trade.query',
    sign_type: 'RSA2',
    timestamp: '2026-11-02 10:00:00',
    version: '1.0',
  })
  const signed =
    'app_id=2026000100010001&biz_content={"out_trade_no":"ORDER_0001"}&charset=utf-8&format=JSON' +
    '&method=alipay.trade.query&sign_type=RSA2&timestamp=2026-11-02 10:00:00&version=1.0'
  expect(createVerify('sha256').update(signed).verify(APP.publicKey, signature, 'base64')).toBe(true)
})

it('without the application’s key nothing is asked, and the setting is named', async () => {
  const [publicKey] = [APP.publicKey.export({ format: 'pem', type: 'spki' })]
  const answer = await queryAlipay(
    aRef(),
    ACCOUNT,
    readAlipayKeys(JSON.stringify({ alipayPublicKeys: [publicKey] })),
    answering(),
  )

  expect(answer).toMatchObject({ outcome: { kind: 'misconfigured', code: 'KEY_MISSING' }, state: 'unknown' })
  expect(answer.outcome.message).toContain('appPrivateKey')
})

it('no bytes and no status throw or make a final answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      fc.integer({ min: 100, max: 599 }),
      async (bytes, status) => {
        const answer = await query(OVER, { kind: 'answer', status, headers: {}, body: Buffer.from(bytes) })
        expectSoundAnswer(answer)
        expect(answer.state).toBe('unknown')
      },
    ),
  )
})

it('no signed content throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...Object.keys(TRADE), 'sub_code'), fc.jsonValue()),
      async (content) => {
        expectSoundAnswer(await query(OVER, trade(content)))
      },
    ),
    { numRuns: 60 },
  )
})

it('empty parameters are not signed', () => {
  expect(requestStringOf({ b: '2', a: '1', c: '' })).toBe('a=1&b=2')
})

it('an unsigned business refusal is named for what it lacks', async () => {
  const inner = '{"code":"40004","sub_code":"ACQ.SYSTEM_ERROR"}'

  expect(await query(OVER, anAnswer(200, `{"alipay_trade_query_response":${inner}}`))).toMatchObject({
    outcome: { kind: 'unknown', code: 'ANSWER_NOT_SIGNED' },
  })
})
