import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SIMULATOR_ROOT_PEM } from '../../../../infra/simulator-root.ts'
import type { PaypalAccount } from '../../../../modules/channels/account.ts'
import type { PayAttemptRef } from '../../../../modules/channels/client.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../../../modules/core/ids.ts'
import { instantOf } from '../../../../modules/core/instant.ts'
import { aChannel, money, sure } from '../../../support/core-builders.ts'
import { type AccountSimulation, simulateAccount } from './account-simulation.ts'
import { only, type Received, temporaryFolder } from './simulation.ts'

const ACCOUNT: PaypalAccount = {
  kind: 'paypal',
  id: aChannel('paypal'),
  webhookId: '8PT597110X687430LKGECATA',
  sandbox: true,
  merchantId: 'BACKSTOPLOCAL1',
  certRootPems: [SIMULATOR_ROOT_PEM],
}
/** A stage names this root in its configuration. */
const ROOT_FINGERPRINT =
  '06:A3:76:F8:44:DF:05:ED:A4:8E:A1:08:64:3C:62:79:F1:78:BF:06:4A:B5:23:AF:0A:84:11:58:B8:46:54:33'
const DAY_MS = 24 * 3600 * 1000

const typeOf = ({ body }: Received): string => JSON.parse(body.toString()).event_type
const typesOf = ({ received }: AccountSimulation) => received.map(typeOf)

async function tokenOf(simulation: AccountSimulation): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(simulation.secret)
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const { body } = await simulation.call('/v1/oauth2/token', { authorization }, 'grant_type=client_credentials')
  return `Bearer ${body['access_token']}`
}

const anOrder = (change: object = {}) => ({
  intent: 'CAPTURE',
  purchase_units: [{ custom_id: 'ORDER_0001', amount: { currency_code: 'USD', value: '88.00' }, ...change }],
})

async function createOrder(simulation: AccountSimulation, change: object = {}, headers: Record<string, string> = {}) {
  const authorization = await tokenOf(simulation)
  return simulation.call('/v2/checkout/orders', { authorization, ...headers }, anOrder(change))
}

function refOf({ clock }: AccountSimulation, change: Partial<PayAttemptRef> = {}): PayAttemptRef {
  return {
    outTradeNo: sure(parseOutTradeNo('ORDER_0001')),
    money: money(8800, 'USD'),
    createdAt: instantOf(clock.now()),
    expiresAt: instantOf(clock.now() + 600_000),
    ...change,
  }
}

describe.each([
  ['USD', 8800],
  ['JPY', 8800],
  ['TWD', 8800],
])('a payment in %s', (currency, amount) => {
  it('reaches Backstop as a hint, and is a fact of the same money once the channel is asked', async () => {
    const simulation = await simulateAccount(ACCOUNT)

    const paid = await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount, currency })
    await simulation.idle()
    const hint = await simulation.read(only(simulation.received))
    const channelTxnId = sure(hint.channelTxnId)
    const answer = await simulation.client().query?.(refOf(simulation, { channelTxnId }))

    const told = { kind: 'payment', channelTxnId: paid.body['channelTxnId'], money: { amount, currency } }
    expect(hint).toMatchObject({ ...told, trust: 'hint', outTradeNo: 'ORDER_0001' })
    expect(answer).toMatchObject({ state: 'paid', event: { ...told, trust: 'fact', outTradeNo: 'ORDER_0001' } })
  })
})

it('its certificate holds wherever the clock has leapt, and so does the time of payment', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  simulation.clock.leapTo(Date.UTC(2051, 4, 1, 12))

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD' })
  await simulation.idle()

  const { paidAt } = await simulation.read(only(simulation.received))
  expect(paidAt?.slice(0, 17)).toBe('2051-05-01T12:00:')
})

it('the root is the same text in every process and signs a certificate that is not a root', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD' })
  await simulation.idle()
  const url = only(simulation.received).headers['paypal-cert-url'] ?? ''

  const root = new X509Certificate(SIMULATOR_ROOT_PEM)
  const leaf = new X509Certificate(await (await fetch(url)).text())

  expect(root.fingerprint256).toBe(ROOT_FINGERPRINT)
  expect(root.verify(root.publicKey) && root.ca).toBe(true)
  expect(leaf.verify(root.publicKey) && leaf.checkIssued(root)).toBe(true)
  expect(leaf.ca).toBe(false)
  expect(new URL(url).origin).toBe(simulation.url)
})

it('an order is created, found unpaid, paid and found paid by its own id', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const created = await createOrder(simulation)
  const ref = refOf(simulation, { channelRef: String(created.body['id']) })

  const before = await simulation.client().query?.(ref)
  await simulation.control('pay', { outTradeNo: 'ORDER_0001' })
  const after = await simulation.client().query?.(ref)

  expect(created).toMatchObject({ status: 201, body: { status: 'CREATED' } })
  expect(before?.state).toBe('unknown')
  expect(after).toMatchObject({ state: 'paid', event: { money: { amount: 8800, currency: 'USD' } } })
})

it('a payment that takes its time is PENDING first and COMPLETED then', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const { body } = await createOrder(simulation)
  const ref = refOf(simulation, { channelRef: String(body['id']) })

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', at: DAY_MS })
  await simulation.idle()
  const early = await simulation.client().query?.(ref)
  await simulation.leapBy(DAY_MS + 1000)
  const late = await simulation.client().query?.(ref)

  expect(typesOf(simulation)).toEqual(['PAYMENT.CAPTURE.PENDING', 'PAYMENT.CAPTURE.COMPLETED'])
  expect([early?.state, late?.state]).toEqual(['moving', 'paid'])
  const [pending, completed] = await Promise.all(simulation.received.map((one) => simulation.read(one)))
  expect([pending?.kind, completed?.kind]).toEqual(['payment', 'payment'])
  expect(pending?.channelTxnId).toBe(completed?.channelTxnId)
})

it('a refused try is DENIED under a number of its own, and the order can still be paid', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await createOrder(simulation)

  await simulation.control('fail', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()
  const denied = await simulation.read(only(simulation.received))
  const answer = await simulation.client().query?.(refOf(simulation, { channelTxnId: sure(denied.channelTxnId) }))
  const paid = await simulation.control('pay', { outTradeNo: 'ORDER_0001' })

  expect(typeOf(only(simulation.received.slice(0, 1)))).toBe('PAYMENT.CAPTURE.DENIED')
  expect(denied).toMatchObject({ kind: 'failed', outTradeNo: 'ORDER_0001' })
  expect(answer?.event).toMatchObject({ kind: 'failed' })
  expect(paid.body).toMatchObject({ status: 'paid' })
  expect(paid.body['channelTxnId']).not.toBe(denied.channelTxnId)
})

it('an order that runs out is gone without a word', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const { body } = await createOrder(simulation)

  await simulation.control('close-by-channel', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()
  const answer = await simulation.client().query?.(refOf(simulation, { channelRef: String(body['id']) }))

  expect(answer?.outcome.code).toBe('RESOURCE_NOT_FOUND')
  expect(simulation.received).toHaveLength(0)
})

it('PayPal-Request-Id makes one order', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const headers = { 'paypal-request-id': 'request-1' }

  const first = await createOrder(simulation, {}, headers)
  const second = await createOrder(simulation, {}, headers)

  expect(second).toMatchObject({ status: 200, body: { id: first.body['id'] } })
  expect(await simulation.payments()).toHaveLength(1)
})

it.each<[string, object, number, string]>([
  ['parts of a yen', { amount: { currency_code: 'JPY', value: '88.5' } }, 422, 'UNPROCESSABLE_ENTITY'],
  ['nothing to pay', { amount: { currency_code: 'USD', value: '0.00' } }, 422, 'UNPROCESSABLE_ENTITY'],
  ['no number of ours', { custom_id: undefined }, 400, 'INVALID_REQUEST'],
])('an order with %s is refused', async (_what, change, status, name) => {
  const simulation = await simulateAccount(ACCOUNT)

  const refused = await createOrder(simulation, change)

  expect(refused).toMatchObject({ status, body: { name } })
})

it('the API wants a token of its own that has not ended, and a client that holds an old one gets another', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD' })
  const { channelTxnId } = only(await simulation.payments())
  const ref = refOf(simulation, { channelTxnId: sure(parseChannelTxnId(channelTxnId ?? '')) })
  const path = `/v2/payments/captures/${channelTxnId}`
  const authorization = await tokenOf(simulation)
  const client = simulation.client()
  await client.query?.(ref)

  const fresh = await simulation.call(path, { authorization })
  const forged = await simulation.call(path, { authorization: `${authorization}x` })
  await simulation.leapBy(DAY_MS)
  const ended = await simulation.call(path, { authorization })
  const answer = await client.query?.(ref)

  expect([fresh.status, forged.status, ended.status]).toEqual([200, 401, 401])
  expect(answer?.state).toBe('paid')
})

it('a token is given for the secret only', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const authorization = `Basic ${Buffer.from('A:E').toString('base64')}`

  const refused = await simulation.call('/v1/oauth2/token', { authorization }, 'grant_type=client_credentials')

  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
})

it.each(['signature', 'amount', 'account'])('a notice with another %s is refused', async (tamper) => {
  const simulation = await simulateAccount(ACCOUNT)

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD', tamper })
  await simulation.idle()

  expect(await simulation.refusalOf(only(simulation.received))).toBe('bad-signature')
})

it('a notice that is never acknowledged is sent 25 times more in three days, one event and signed anew', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  simulation.answerWith(() => ({ status: 500 }))

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD' })
  await simulation.leapBy(4 * DAY_MS)

  const events = await Promise.all(simulation.received.map((one) => simulation.read(one)))
  const signed = simulation.received.map(({ headers }) => headers['paypal-transmission-id'])
  expect(events).toHaveLength(26)
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(1)
  expect(new Set(signed).size).toBe(26)
  expect((simulation.received.at(-1)?.at ?? 0) - (simulation.received[0]?.at ?? 0)).toBeLessThan(3 * DAY_MS)
  expect(only(only(await simulation.payments()).notices).status).toBe('gave-up')
})

it('a lying channel denies a payment until it tells the truth again', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const { body } = await createOrder(simulation)
  const ref = refOf(simulation, { channelRef: String(body['id']) })
  await simulation.control('pay', { outTradeNo: 'ORDER_0001' })

  await simulation.control('outage', { mode: 'lie', forMs: 60_000 })
  const lie = await simulation.client().query?.(ref)
  await simulation.control('outage', { mode: 'throttle' })
  const throttled = await simulation.client().query?.(ref)
  await simulation.control('outage', { mode: 'up' })
  const truth = await simulation.client().query?.(ref)

  expect([lie?.state, truth?.state]).toEqual(['unknown', 'paid'])
  expect(throttled?.outcome.kind).toBe('transient')
})

it('keys and pending notices survive a restart, and the certificate is found at the new address', async () => {
  const stateDir = temporaryFolder()
  const before = await simulateAccount(ACCOUNT, { stateDir })
  before.answerWith(() => ({ status: 503 }))
  await before.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, currency: 'USD' })
  await before.idle()
  await before.stop()

  const after = await simulateAccount(ACCOUNT, { stateDir, clock: before.clock })
  await after.leapBy(3_600_000)

  expect(after.secret).toBe(before.secret)
  expect(await after.read(only(after.received))).toMatchObject({ kind: 'payment', outTradeNo: 'ORDER_0001' })
})
