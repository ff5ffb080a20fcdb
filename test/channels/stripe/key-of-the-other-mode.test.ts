import { expect, it } from 'vitest'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { readStripeKeys } from '../../../modules/channels/stripe/keys.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import { answering, OVER } from '../client-setup.ts'
import { ACCOUNT, INTENT_ID, intent, KEYS, refusal } from './api-answers.ts'

const REF = { ...OVER, channelRef: INTENT_ID }
const keysOf = (apiKey: string) => readStripeKeys(JSON.stringify({ signingSecrets: ['whsec_0123456789'], apiKey }))

it.each([
  ['sk_test_1', true],
  ['rk_test_1', true],
  ['sk_live_1', false],
  ['rk_live_1', false],
])('%s with livemode %s asks and closes nothing', async (apiKey, livemode) => {
  const account = { ...ACCOUNT, livemode }

  for (const call of [queryStripe, closeStripe]) {
    const channel = answering()
    const answer = await call(REF, account, keysOf(apiKey), channel)

    expect(answer).toMatchObject({ state: 'unknown', outcome: { kind: 'misconfigured', code: 'KEY_MODE' } })
    expect(channel.sent).toEqual([])
  }
})

it.each([
  ['sk_live_1', true],
  ['rk_test_1', false],
  ['key-of-a-simulator', false],
])('%s with livemode %s asks', async (apiKey, livemode) => {
  const answer = await queryStripe(REF, { ...ACCOUNT, livemode }, keysOf(apiKey), answering(intent({ livemode })))

  expect(answer.state).toBe('paid')
})

it.each([
  "No such payment_intent: 'pi_1'; a similar object exists in live mode, but a test mode key was used.",
  "No such payment_intent: 'pi_1'; a similar object exists in test mode, but a live mode key was used.",
])('"%s" is no "not found", even after expiry', async (message) => {
  const missing = refusal(404, { code: 'resource_missing', message })

  for (const call of [queryStripe, closeStripe]) {
    expect(await call(REF, ACCOUNT, KEYS, answering(missing))).toMatchObject({
      state: 'unknown',
      outcome: { kind: 'misconfigured', code: 'KEY_OF_THE_OTHER_MODE' },
    })
  }
})
