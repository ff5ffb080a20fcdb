import { describe, expect, it } from 'vitest'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { CLIENT_BUDGET_MS, clientOf } from '../../modules/channels/clients.ts'
import type { HttpLimits, SendRequest } from '../../modules/outgoing/http/send-request.ts'
import { closedPort, serveHttp, serveTcp } from '../outgoing/http/local-servers.ts'
import { ACCOUNT as ADYEN, CLIENT_SECRET as ADYEN_SECRET } from './adyen/signed-webhook.ts'
import { ACCOUNT as ALIPAY, CLIENT_SECRET as ALIPAY_SECRET, trade } from './alipay/signed-answer.ts'
import { anAnswer, aRef, NOW_MS, OVER } from './client-setup.ts'
import { CHANNEL } from './message-setup.ts'
import { ACCOUNT as PAYPAL } from './paypal/signed-event.ts'
import { INTENT, INTENT_ID, ACCOUNT as STRIPE, CLIENT_SECRET as STRIPE_SECRET } from './stripe/api-answers.ts'
import { CLIENT_SECRET as WECHATPAY_SECRET } from './wechatpay/signed-answer.ts'
import { ACCOUNT as WECHATPAY } from './wechatpay/signed-notice.ts'

const WEBHOOKS: ChannelAccount = {
  kind: 'standard-webhooks',
  id: CHANNEL,
  scheme: 'v1',
  mapping: {
    type: 'type',
    outTradeNo: 'a',
    channelTxnId: 'b',
    amount: 'c',
    currency: 'd',
    unit: 'minor',
    types: { payment: ['paid'] },
  },
}
const WEBHOOKS_SECRET = JSON.stringify({ secrets: [Buffer.alloc(32).toString('base64')] })
const PAYPAL_SECRET = JSON.stringify({ clientId: 'app', clientSecret: 'app-secret' })

const CHANNELS: readonly (readonly [ChannelAccount, string, { readonly query: boolean; readonly close: boolean }])[] = [
  [STRIPE, STRIPE_SECRET, { query: true, close: true }],
  [ALIPAY, ALIPAY_SECRET, { query: true, close: true }],
  [WECHATPAY, WECHATPAY_SECRET, { query: true, close: true }],
  [ADYEN, ADYEN_SECRET, { query: false, close: true }],
  [PAYPAL, PAYPAL_SECRET, { query: true, close: false }],
  [WEBHOOKS, WEBHOOKS_SECRET, { query: false, close: false }],
]

it.each(CHANNELS)(
  'what $kind can do is known without its secret, and is what its client has',
  (account, secret, can) => {
    const bound = clientOf(account)

    const client = bound.openKeys(secret)

    expect({ query: bound.canQuery, close: bound.canClose }).toEqual(can)
    expect({ query: client.query !== undefined, close: client.close !== undefined }).toEqual(can)
  },
)

it.each(CHANNELS)('a secret of $kind that is not of its form is refused at the start', (account) => {
  expect(() => clientOf(account).openKeys('{"unknown":"x"}')).toThrow(
    expect.objectContaining({ name: 'KeyFormatError' }),
  )
})

describe.each(CHANNELS.filter(([, , can]) => can.query))(
  'a query of $kind against a real server',
  (account, secret) => {
    const ask = (apiBase: string) =>
      clientOf({ ...account, apiBase })
        .openKeys(secret)
        .query?.({ ...OVER, channelRef: INTENT_ID })

    it.each([
      ['nobody listens', async () => `http://${await closedPort()}`, 'transient'],
      ['the handshake breaks', async () => `https://${await serveTcp((socket) => socket.destroy())}`, 'transient'],
      [
        'the connection breaks after the request',
        () => serveHttp((request) => void request.socket.destroy()),
        'unknown',
      ],
      [
        'the answer is cut off',
        () =>
          serveHttp((_request, response) => {
            response.writeHead(200, { 'content-length': '1000' })
            response.write('{', () => response.socket?.destroy())
          }),
        'unknown',
      ],
      [
        'it redirects',
        () => serveHttp((_request, response) => void response.writeHead(302, { location: '/' }).end()),
        'unknown',
      ],
      [
        'the answer is huge',
        () => serveHttp((_request, response) => void response.end(Buffer.alloc(300_000, 32))),
        'unknown',
      ],
      ['it fails', () => serveHttp((_request, response) => void response.writeHead(500).end('{}')), 'unknown'],
      ['it is limited', () => serveHttp((_request, response) => void response.writeHead(429).end('{}')), 'transient'],
    ])('nothing is known when %s', async (_what, serve, kind) => {
      const answer = await ask(await serve())

      expect(answer?.state).toBe('unknown')
      expect(answer).not.toHaveProperty('event')
      // Without PayPal's token nothing was asked yet, so what failed is the question for that.
      expect(answer?.outcome.kind).toBe(account.kind === 'paypal' ? 'transient' : kind)
    })
  },
)

it('a real answer over a real connection is a fact', async () => {
  const paid = trade()
  const alipay = await serveHttp((_request, response) => void response.end(paid.kind === 'answer' ? paid.body : ''))
  const stripe = await serveHttp((_request, response) => void response.end(JSON.stringify(INTENT)))

  const fromAlipay = await clientOf({ ...ALIPAY, apiBase: alipay })
    .openKeys(ALIPAY_SECRET)
    .query?.(aRef())
  const fromStripe = await clientOf({ ...STRIPE, apiBase: stripe })
    .openKeys(STRIPE_SECRET)
    .query?.(aRef({ channelRef: INTENT_ID }))

  expect(fromAlipay).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
  expect(fromStripe).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
})

it.each([
  [CLIENT_BUDGET_MS - 4_000, [10_000, 4_000]],
  [CLIENT_BUDGET_MS, [10_000]],
])('when the first request takes %i ms, the requests of one question may take %j ms', async (tookMs, granted) => {
  const clock = { nowMs: NOW_MS }
  const seen: (number | undefined)[] = []
  const http: SendRequest = async (_request, limits?: HttpLimits) => {
    seen.push(limits?.totalTimeoutMs)
    clock.nowMs += tookMs
    return anAnswer(200, JSON.stringify({ access_token: 'token', expires_in: 3600 }))
  }
  const client = clientOf(PAYPAL, { http, nowMs: () => clock.nowMs, nonce: () => 'n' }).openKeys(PAYPAL_SECRET)

  const answer = await client.query?.(aRef({ channelRef: 'O' }))
  await client.query?.(aRef({ channelRef: 'O' }))

  // The second question has a time of its own.
  expect(seen).toEqual([...granted, 10_000])
  expect(answer?.state).toBe('unknown')
  if (granted.length === 1) expect(answer?.outcome).toMatchObject({ kind: 'transient' })
})
