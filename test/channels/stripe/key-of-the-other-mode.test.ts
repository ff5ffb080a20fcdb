import { describe, expect, it } from 'vitest'
import { clientOf } from '../../../modules/channels/clients.ts'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import { verifierOf } from '../../../modules/channels/verifiers.ts'
import { answering, aRef, OVER } from '../client-setup.ts'
import { ACCOUNT, INTENT_ID, KEYS, refusal } from './api-answers.ts'

const secretWith = (apiKey: string) => JSON.stringify({ signingSecrets: ['whsec_0123456789'], apiKey })
const opening = (livemode: boolean, apiKey: string) => () =>
  clientOf({ ...ACCOUNT, livemode }).openKeys(secretWith(apiKey))

describe('the modes of key and account are compared when the keys are read', () => {
  it.each([
    [true, 'sk_test_0123456789'],
    [true, 'rk_test_0123456789'],
    [false, 'sk_live_0123456789'],
    [false, 'rk_live_0123456789'],
  ])('livemode %s with %s is refused by the field’s name, never its value', (livemode, apiKey) => {
    expect(opening(livemode, apiKey)).toThrow(expect.objectContaining({ name: 'KeyFormatError', field: 'apiKey' }))
    expect(opening(livemode, apiKey)).not.toThrow(/0123456789/)
  })

  it.each([
    [true, 'sk_live_0123456789'],
    [true, 'rk_live_0123456789'],
    [false, 'sk_test_0123456789'],
    [false, 'rk_test_0123456789'],
    [true, 'a-simulator’s-key'.replaceAll('’', '')],
  ])('livemode %s with %s is taken', (livemode, apiKey) => {
    expect(opening(livemode, apiKey)).not.toThrow()
  })

  it('callbacks go on: their secret is not the API key', () => {
    const verifier = verifierOf({ ...ACCOUNT, livemode: true }, answering())

    expect(() => verifier.openKeys(secretWith('sk_test_0123456789'))).not.toThrow()
  })
})

describe('"a similar object exists in the other mode" is ours to mend, however long the try is over', () => {
  const pi = { ...OVER, channelRef: INTENT_ID }
  const cs = { ...OVER, channelRef: 'cs_live_1' }
  const bySearch = aRef({ expiresAt: OVER.createdAt })
  const missing = (mode: string) =>
    refusal(404, {
      code: 'resource_missing',
      type: 'invalid_request_error',
      message: `No such payment_intent: 'pi_1'; a similar object exists in ${mode} mode, but a test mode key was used.`,
    })

  it.each([
    ['a query', queryStripe, pi, 'live'],
    ['a query in test mode', queryStripe, pi, 'test'],
    ['a query of a session', queryStripe, cs, 'live'],
    ['a search', queryStripe, bySearch, 'live'],
    ['a close', closeStripe, pi, 'live'],
    ['a close of a session', closeStripe, cs, 'live'],
    ['a close by search', closeStripe, bySearch, 'live'],
  ])('%s', async (_what, call, ref, mode) => {
    const answer = await call(ref, ACCOUNT, KEYS, answering(missing(mode)))

    expect(answer).toMatchObject({ outcome: { kind: 'misconfigured', code: 'KEY_MODE' }, state: 'unknown' })
    expect(answer.outcome).not.toHaveProperty('suspect')
  })
})
