import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { readCallbackMessage } from '../../modules/queues/callback-message.ts'
import { ACCOUNT as ADYEN, CLIENT_SECRET as ADYEN_SECRET, message, signItem } from '../channels/adyen/signed-webhook.ts'
import { ACCOUNT as ALIPAY, PUBLIC_PEM as ALIPAY_PEM, PAYMENT, signForm } from '../channels/alipay/signed-notice.ts'
import { anEvent as aPaypalEvent, LEAF, ACCOUNT as PAYPAL, signEvent } from '../channels/paypal/signed-event.ts'
import { sign as signWebhook } from '../channels/standard-webhooks/signed-webhook.ts'
import {
  anEvent,
  INTENT,
  ACCOUNT as STRIPE,
  SECRET as STRIPE_SECRET,
  sign as signStripe,
} from '../channels/stripe/signed-event.ts'
import {
  aNotice,
  sign as signWechat,
  TRANSACTION,
  ACCOUNT as WECHAT,
  SECRET as WECHAT_SECRET,
} from '../channels/wechatpay/signed-notice.ts'
import { serveEngine } from '../local/engines/s3/serve-engine.ts'
import { aChannel } from '../support/core-builders.ts'
import { BANK_SECRET, bankAccount } from '../support/world-bank.ts'
import { type Request, startIngress } from './ingress-stack.ts'

const accounts: readonly ChannelAccount[] = [
  { ...ALIPAY, id: aChannel('alipay') },
  { ...WECHAT, id: aChannel('wechatpay') },
  { ...STRIPE, id: aChannel('stripe') },
  { ...ADYEN, id: aChannel('adyen') },
  { ...PAYPAL, id: aChannel('paypal') },
  bankAccount,
]
const secrets = {
  alipay: JSON.stringify({ alipayPublicKeys: [ALIPAY_PEM] }),
  wechatpay: JSON.stringify(WECHAT_SECRET),
  stripe: JSON.stringify({ signingSecrets: [STRIPE_SECRET] }),
  adyen: ADYEN_SECRET,
  paypal: '{}',
  bank: BANK_SECRET,
}
let ingress: Awaited<ReturnType<typeof startIngress>>
let paypalApi: Awaited<ReturnType<typeof serveEngine>>
/** Paths that PayPal was asked for. */
let fetched: string[]

beforeEach(async () => {
  fetched = []
  paypalApi = await serveEngine({
    handle: async (request, response) => {
      fetched.push(request.url ?? '')
      response.end(LEAF.pem)
    },
  })
  ingress = await startIngress(accounts, secrets, { paypal: paypalApi.url })
})
afterEach(async () => {
  await ingress.stop()
  await paypalApi.close()
})

const seconds = () => Math.floor(Date.now() / 1000)
const asRequest = ({ headers, body }: { headers: Readonly<Record<string, string>>; body: Buffer }): Request => ({
  headers: { ...headers },
  body: body.toString('base64'),
  isBase64Encoded: true,
})
const alipayRequest = (): Request => ({ body: new URLSearchParams(signForm(PAYMENT)).toString() })
const wechatRequest = (): Request => asRequest(signWechat(aNotice('TRANSACTION.SUCCESS', TRANSACTION), seconds()))
const stripeRequest = (): Request => asRequest(signStripe(anEvent('payment_intent.succeeded', INTENT), seconds()))
const adyenRequest = (): Request => ({ body: message(signItem()) })
const paypalRequest = (certificateUrl = `${paypalApi.url}/v1/notifications/certs/CERT-1`): Request => {
  const signed = signEvent(aPaypalEvent('PAYMENT.CAPTURE.COMPLETED'), new Date().toISOString())
  return asRequest({ ...signed, headers: { ...signed.headers, 'paypal-cert-url': certificateUrl } })
}
const bankRequest = (id = 'msg_1'): Request => asRequest(signWebhook('{"type":"paid"}', seconds(), id))

it.each([
  ['alipay', alipayRequest, 200, 'success'],
  ['wechatpay', wechatRequest, 200, ''],
  ['stripe', stripeRequest, 200, ''],
  ['adyen', adyenRequest, 200, '[accepted]'],
  ['paypal', () => paypalRequest(), 200, ''],
  ['bank', bankRequest, 200, ''],
])('%s reads its own word for "received", to the byte', async (channel, request, status, body) => {
  const answer = await ingress.post(channel, request())

  expect(answer.statusCode).toBe(status)
  expect(Buffer.from(answer.body ?? '')).toEqual(Buffer.from(body))
  expect(await ingress.queued()).toHaveLength(1)
})

it.each([
  ['alipay', 400, 'fail'],
  ['wechatpay', 401, '{"code":"FAIL","message":"失败"}'],
  ['stripe', 400, ''],
  ['adyen', 401, ''],
  ['paypal', 400, ''],
  ['bank', 400, ''],
])(
  '%s reads its own word for "not received" when nothing is signed, and nothing is queued',
  async (channel, status, body) => {
    const answer = await ingress.post(channel, { body: 'out_trade_no=ORDER_0001' })

    expect([answer.statusCode, answer.body]).toEqual([status, body])
    expect(await ingress.queued()).toHaveLength(0)
  },
)

it('a warm acknowledgement is one AWS call', async () => {
  await ingress.post('bank', bankRequest('msg_1'))
  const cold = { ...ingress.calls }

  await ingress.post('bank', bankRequest('msg_2'))

  expect(cold).toEqual({ secrets: 1, sqs: 1 })
  expect(ingress.calls).toEqual({ secrets: 1, sqs: 2 })
})

it("PayPal's certificate is fetched where its endpoint is, by the first callback alone", async () => {
  const first = await ingress.post('paypal', paypalRequest())
  const cold = { ...ingress.calls, fetches: fetched.length }

  const second = await ingress.post('paypal', paypalRequest())

  expect([first.statusCode, second.statusCode]).toEqual([200, 200])
  expect(cold).toEqual({ secrets: 1, sqs: 1, fetches: 1 })
  expect(ingress.calls).toEqual({ secrets: 1, sqs: 2 })
  expect(fetched).toEqual(['/v1/notifications/certs/CERT-1'])
})

it.each([
  ['of PayPal itself, while its endpoint is another', () => 'https://api.paypal.com/v1/notifications/certs/CERT-1'],
  ['of a host that only begins like the endpoint', () => `${paypalApi.url}.example.com/v1/notifications/certs/CERT-1`],
  ['of another path of the endpoint', () => `${paypalApi.url}/certs/CERT-1`],
])('a certificate %s is not fetched, and its callback is refused', async (_where, urlOf) => {
  const answer = await ingress.post('paypal', paypalRequest(urlOf()))

  expect([answer.statusCode, answer.body]).toEqual([400, ''])
  expect(fetched).toEqual([])
  expect(await ingress.queued()).toHaveLength(0)
})

it('the message has the very bytes and what proved them, and no header more', async () => {
  const request = signWebhook('{"type" :"paid",\r\n"n":1.10,"n":1.10,"u":"\\/é"} \n', seconds())

  await ingress.post('bank', {
    ...asRequest(request),
    headers: { ...request.headers, authorization: 'Bearer secret', cookie: 'a=b' },
  })

  const [text = ''] = await ingress.queued()
  const { verified, bodySha256 } = readCallbackMessage(text)
  expect(verified.body).toEqual(request.body)
  expect(bodySha256).toMatch(/^[0-9a-f]{64}$/)
  expect(verified).toMatchObject({ channel: 'bank', keyId: 'v1-0' })
  expect(Object.keys(verified.headers).toSorted()).toEqual(['webhook-id', 'webhook-signature', 'webhook-timestamp'])
})

it.each([['Stripe-Signature'], ['stripe-signature'], ['STRIPE-SIGNATURE']])(
  'a signature is found under %s',
  async (name) => {
    const { headers, body } = signStripe(anEvent('payment_intent.succeeded', INTENT), seconds())
    const signature = headers['stripe-signature'] ?? ''

    const single = await ingress.post('stripe', { headers: { [name]: signature }, body: body.toString('utf8') })
    const multiple = await ingress.post('stripe', {
      multiValueHeaders: { [name]: [signature] },
      body: body.toString('utf8'),
    })

    expect([single.statusCode, multiple.statusCode]).toEqual([200, 200])
  },
)

it('a missing, misspelt, wrong or repeated signature is refused', async () => {
  const { headers, body } = signStripe(anEvent('payment_intent.succeeded', INTENT), seconds())
  const good = headers['stripe-signature'] ?? ''
  const wrong = good.replace(/v1=[0-9a-f]{4}/, 'v1=0000')
  const text = body.toString('utf8')

  const answers = await Promise.all([
    ingress.post('stripe', { body: text }),
    ingress.post('stripe', { headers: { 'stripe-signature': good.replace('v1=', 'v9=') }, body: text }),
    ingress.post('stripe', { headers: { 'stripe-signature': wrong }, body: text }),
    ingress.post('stripe', { multiValueHeaders: { 'stripe-signature': [wrong, good] }, body: text }),
    ingress.post('stripe', { multiValueHeaders: { 'stripe-signature': [good, wrong] }, body: text }),
    ingress.post('stripe', { headers: { 'Stripe-Signature': wrong, 'stripe-signature': good }, body: text }),
  ])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400, 400, 400])
  expect(await ingress.queued()).toHaveLength(0)
})

it.each(['unknown', '__proto__', 'constructor', ''])(
  "a channel that is not configured ('%s') is 404",
  async (channel) => {
    expect(await ingress.post(channel, bankRequest())).toMatchObject({ statusCode: 404 })
  },
)

it('a body of 192 KiB is taken and one byte more is 413', async () => {
  const bodyOf = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
  const most = asRequest(signWebhook(bodyOf(192 * 1024), seconds()))
  const more = asRequest(signWebhook(bodyOf(192 * 1024 + 1), seconds()))

  expect(await ingress.post('bank', most)).toMatchObject({ statusCode: 200 })
  expect(await ingress.post('bank', more)).toMatchObject({ statusCode: 413 })
  expect(await ingress.queued()).toHaveLength(1)
})

it('when the queue does not take the message, the channel hears 503 and sends again', async () => {
  ingress.behaviour.breakQueue = true
  const down = await ingress.post('bank', bankRequest())
  ingress.behaviour.breakQueue = false

  const up = await ingress.post('bank', bankRequest())

  expect([down.statusCode, up.statusCode]).toEqual([503, 200])
  expect(await ingress.queued()).toHaveLength(1)
})

it('without its secret a channel is closed: 503, never an acknowledgement', async () => {
  ingress.behaviour.refuseSecrets = true

  const answer = await ingress.post('bank', bankRequest())

  expect(answer.statusCode).toBe(503)
  expect(ingress.calls.sqs).toBe(0)
})

it('500 callbacks by an unknown key while the secret service refuses ask it at most once', async () => {
  await ingress.post('bank', bankRequest())
  const before = ingress.calls.secrets
  ingress.behaviour.refuseSecrets = true
  const { headers, body } = signWebhook('{"type":"paid"}', seconds())
  const forged: Request = {
    headers: { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}` },
    body: body.toString('utf8'),
  }

  const answers = await Promise.all(Array.from({ length: 500 }, () => ingress.post('bank', forged)))

  expect(answers.every(({ statusCode }) => statusCode === 400 || statusCode === 503)).toBe(true)
  expect(ingress.calls.secrets - before).toBeLessThanOrEqual(1)
  expect(await ingress.post('bank', bankRequest('msg_after'))).toMatchObject({ statusCode: 200 })
})
