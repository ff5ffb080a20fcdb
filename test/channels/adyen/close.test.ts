import fc from 'fast-check'
import { expect, it } from 'vitest'
import { closeAdyen } from '../../../modules/channels/adyen/close.ts'
import { readAdyenKeys } from '../../../modules/channels/adyen/keys.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import { ALMOST_OVER, aFailure, anAnswer, answering, aRef, expectSoundAnswer, FAILURES, OVER } from '../client-setup.ts'
import { ACCOUNT, CLIENT_SECRET, HMAC_KEY, KEYS } from './signed-webhook.ts'

const RECEIVED = anAnswer(201, JSON.stringify({ status: 'received', pspReference: 'X' }))

function error(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  return anAnswer(status, JSON.stringify(body), headers)
}

it('Adyen cannot be asked about a payment: that is unsupported, never "not yet"', () => {
  const client = clientOf(ACCOUNT)

  expect(client).toMatchObject({ canQuery: false, canClose: true })
  expect(client.openKeys(CLIENT_SECRET)).not.toHaveProperty('query')
})

it('a cancel that was heard is not yet closed: the webhook tells, or the expiry', async () => {
  const outcome = { kind: 'notYet', code: 'CANCEL_RECEIVED' }

  expect(await closeAdyen(aRef(), ACCOUNT, KEYS, answering(RECEIVED))).toEqual({ outcome, state: 'unknown' })
  expect(await closeAdyen(ALMOST_OVER, ACCOUNT, KEYS, answering(RECEIVED))).toEqual({ outcome, state: 'unknown' })
  expect(await closeAdyen(OVER, ACCOUNT, KEYS, answering(RECEIVED))).toEqual({ outcome, state: 'closable' })
})

it('the cancel goes by our own number, and has the webhook bring it back', async () => {
  const channel = answering(RECEIVED)
  await closeAdyen(aRef(), ACCOUNT, KEYS, channel)

  const [request] = channel.sent
  expect(request?.url.href).toBe('https://checkout-test.adyen.com/v71/cancels')
  expect(JSON.parse(request?.body ?? '')).toEqual({
    merchantAccount: 'Shop',
    paymentReference: 'ORDER_0001',
    reference: 'ORDER_0001',
  })
  expect(request?.headers).toMatchObject({ 'x-api-key': 'AQE-test', 'idempotency-key': '0NCE0' })
})

it('a live account needs its own address, and the missing setting is named', async () => {
  const live = { ...ACCOUNT, live: true }
  const own = { ...live, apiBase: 'https://abc-checkout-live.adyenpayments.com/checkout' }
  const channel = answering(RECEIVED)

  const answer = await closeAdyen(aRef(), live, KEYS, answering())
  await closeAdyen(aRef(), own, KEYS, channel)

  expect(answer).toMatchObject({ outcome: { kind: 'misconfigured', code: 'API_BASE_MISSING' }, state: 'unknown' })
  expect(channel.sent[0]?.url.href).toBe('https://abc-checkout-live.adyenpayments.com/checkout/v71/cancels')
})

it.each([
  ['401', error(401, { errorCode: '000', errorType: 'security' }), 'misconfigured'],
  ['401 without a type', error(401, {}), 'misconfigured'],
  ['403', error(403, { errorCode: '010', errorType: 'security' }), 'misconfigured'],
  ['a wrong configuration', error(422, { errorCode: '901', errorType: 'configuration' }), 'misconfigured'],
  ['400', error(400, { errorType: 'validation' }), 'misconfigured'],
  ['422', error(422, { errorCode: '167', errorType: 'validation' }), 'rejected'],
  ['a twin under way', error(409, { errorCode: '704' }), 'notYet'],
  ['an error that says it passes', error(500, {}, { 'transient-error': 'true' }), 'transient'],
  ['429', error(429, {}), 'transient'],
  ['500', error(500, {}), 'unknown'],
  ['503, when the cancel may have been heard', error(503, {}), 'unknown'],
  ['a success of another form', error(200, { status: 'received' }), 'unknown'],
  ['an unknown word', error(201, { status: 'done' }), 'unknown'],
  ['a redirect', error(302, {}), 'unknown'],
])('%s closes nothing', async (_what, result, kind) => {
  const answer = await closeAdyen(OVER, ACCOUNT, KEYS, answering(result))

  expect(answer).toMatchObject({ outcome: { kind }, state: 'unknown' })
  expectSoundAnswer(answer)
})

it.each([
  [400, 'validation', 'request'],
  [401, 'validation', undefined],
  [403, undefined, undefined],
  [422, 'configuration', undefined],
])(
  'of a refusal %i %s the suspect is %s: a parameter is this request’s, a key is everybody’s',
  async (status, errorType, suspect) => {
    const { outcome } = await closeAdyen(OVER, ACCOUNT, KEYS, answering(error(status, { errorType })))

    expect(outcome.kind).toBe('misconfigured')
    expect(outcome.suspect).toBe(suspect)
  },
)

it.each(FAILURES)('the network failure %s comes to %s', async (type, kind) => {
  expect(await closeAdyen(OVER, ACCOUNT, KEYS, answering(aFailure(type)))).toMatchObject({
    outcome: { kind },
    state: 'unknown',
  })
})

it('without an API key nothing is sent, and the setting is named', async () => {
  const keys = readAdyenKeys(JSON.stringify({ hmacKeys: [HMAC_KEY] }))

  expect(await closeAdyen(aRef(), ACCOUNT, keys, answering())).toMatchObject({
    outcome: { kind: 'misconfigured', code: 'KEY_MISSING' },
  })
})

it('no bytes and no status throw or close anything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.integer({ min: 100, max: 599 }), async (body, status) => {
      const answer = await closeAdyen(OVER, ACCOUNT, KEYS, answering(anAnswer(status, body)))
      expectSoundAnswer(answer)
      expect(answer.state).toBe('unknown')
    }),
  )
})
