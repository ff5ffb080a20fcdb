import { expect, it } from 'vitest'
import type { AskedPayAttempt } from '../../../functions/work/asking/channel-desk.ts'
import { closeAtChannel } from '../../../functions/work/asking/close-at-channel.ts'
import type { PayAttemptRef } from '../../../modules/channels/client.ts'
import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import type { SendRequest } from '../../../modules/outgoing/http/send-request.ts'
import { aRef, NOW_MS } from '../client-setup.ts'
import { CHANNEL } from '../message-setup.ts'
import { ACCOUNT, found, INTENT, intent, KEYS, unexpectedState } from './api-answers.ts'

/** A Stripe whose search goes on listing every intent as it was made, as the real one does for up to an hour. */
function aLaggingStripe(...ids: readonly string[]) {
  const canceled = new Set<string>()
  const http: SendRequest = async ({ method, url }) => {
    const id = ids.find((known) => url.pathname.includes(known))
    if (id === undefined)
      return found(...ids.map((each) => ({ ...INTENT, id: each, status: 'requires_payment_method' })))
    const isCanceled = canceled.has(id)
    if (method === 'POST' && isCanceled) return unexpectedState('canceled')
    if (method === 'POST') canceled.add(id)
    return intent({ id, status: canceled.has(id) ? 'canceled' : 'requires_payment_method' })
  }
  return { canceled, deps: { http, nowMs: () => NOW_MS, nonce: () => 'N' } }
}

/** What the worker does with a payAttempt whose order closes. */
function closeTry(ref: PayAttemptRef, { deps }: ReturnType<typeof aLaggingStripe>) {
  const { outTradeNo, money, expiresAt, createdAt } = ref
  const attempt: AskedPayAttempt = {
    pk: `ORDER#${outTradeNo}`,
    channel: CHANNEL,
    outTradeNo,
    ...money,
    expiresAt,
    createdAt,
  }
  const desk = {
    canQuery: () => true,
    canClose: () => true,
    query: async () => ({ kind: 'answer' as const, answer: await queryStripe(ref, ACCOUNT, KEYS, deps) }),
    close: async () => ({ kind: 'answer' as const, answer: await closeStripe(ref, ACCOUNT, KEYS, deps) }),
  }
  return closeAtChannel(desk, attempt, undefined)
}

it('an abandoned cart whose pi_ nobody told us is closed at Stripe and here, while the search still lists it unpaid', async () => {
  const stripe = aLaggingStripe('pi_cart')

  expect(await closeTry(aRef(), stripe)).toEqual({ kind: 'closed' })

  expect([...stripe.canceled]).toEqual(['pi_cart'])
  expect(await closeTry(aRef(), stripe)).toEqual({ kind: 'closed' })
})

it('a cart with two intents that may still be paid is left to a person', async () => {
  const stripe = aLaggingStripe('pi_cart', 'pi_again')

  expect(await closeTry(aRef(), stripe)).toMatchObject({ kind: 'unknown', outcome: { code: 'SEARCH_FOUND_SEVERAL' } })

  expect([...stripe.canceled]).toEqual([])
})
