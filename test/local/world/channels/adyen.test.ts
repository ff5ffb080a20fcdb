import { describe, expect, it } from 'vitest'
import type { AdyenAccount } from '../../../../modules/channels/account.ts'
import { parseOutTradeNo } from '../../../../modules/core/ids.ts'
import { instantOf } from '../../../../modules/core/instant.ts'
import { aChannel, money, sure } from '../../../support/core-builders.ts'
import { type AccountSimulation, simulateAccount } from './account-simulation.ts'
import { only, type Received, temporaryFolder } from './simulation.ts'

const ACCOUNT: AdyenAccount = {
  kind: 'adyen',
  id: aChannel('adyen'),
  merchantAccounts: ['BackstopLocal'],
  live: false,
}
const MINUTE = 60
const HOUR = 3600
const DAY_MS = 24 * HOUR * 1000
const TOLERANCE_S = 2

const itemOf = ({ body }: Received) => JSON.parse(body.toString()).notificationItems[0].NotificationRequestItem
const keyOf = ({ secret }: AccountSimulation): string => JSON.parse(secret).apiKey
const cancel = (simulation: AccountSimulation, paymentReference: string, apiKey = keyOf(simulation)) =>
  simulation.call('/v71/cancels', { 'x-api-key': apiKey }, { merchantAccount: 'BackstopLocal', paymentReference })
const open = (simulation: AccountSimulation, value = 8800, currency = 'EUR') =>
  simulation.call(
    '/v71/sessions',
    { 'x-api-key': keyOf(simulation) },
    { merchantAccount: 'BackstopLocal', reference: 'ORDER_0001', amount: { value, currency } },
  )
const gapsOf = (received: readonly Received[]) =>
  received.slice(1).map(({ at }, index) => (at - (received[index]?.at ?? 0)) / 1000)

describe.each([
  ['EUR', 8800],
  ['JPY', 8800],
  ['KWD', 8810],
  ['ISK', 8800],
  ['IDR', 8800],
])('a payment in %s', (currency, amount) => {
  it('reaches Backstop as a payment of the same money and numbers', async () => {
    const simulation = await simulateAccount(ACCOUNT)

    const paid = await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount, currency })
    await simulation.idle()

    expect(await simulation.read(only(simulation.received))).toMatchObject({
      kind: 'payment',
      trust: 'fact',
      outTradeNo: 'ORDER_0001',
      channelTxnId: paid.body['channelTxnId'],
      money: { amount, currency },
    })
    expect(only(only(await simulation.payments()).notices)).toMatchObject({ status: 'acked', attempts: 1 })
  })
})

it('a time of payment is the clock of the simulation', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  simulation.clock.leapTo(Date.UTC(2031, 4, 1, 12))

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.idle()

  const { paidAt } = await simulation.read(only(simulation.received))
  expect(paidAt?.slice(0, 17)).toBe('2031-05-01T12:00:')
})

it('a session that is paid has the money of the session, and Adyen counts it in its own units', async () => {
  const simulation = await simulateAccount(ACCOUNT)

  const session = await open(simulation, 880_000, 'ISK')
  await simulation.control('pay', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()

  expect(session.status).toBe(201)
  expect(itemOf(only(simulation.received)).amount).toEqual({ value: 880_000, currency: 'ISK' })
  expect((await simulation.read(only(simulation.received))).money).toEqual({ amount: 8800, currency: 'ISK' })
})

it('a refused try is an AUTHORISATION of its own that decides nothing, and the payment can still be made', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await open(simulation)

  await simulation.control('fail', { outTradeNo: 'ORDER_0001' })
  await simulation.control('pay', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()

  const items = simulation.received.map(itemOf)
  const kinds = await Promise.all(simulation.received.map(async (one) => (await simulation.read(one)).kind))
  expect(items.map(({ eventCode, success }) => [eventCode, success]).toSorted()).toEqual([
    ['AUTHORISATION', 'false'],
    ['AUTHORISATION', 'true'],
  ])
  expect(kinds.toSorted()).toEqual(['other', 'payment'])
  expect(new Set(items.map(({ pspReference }) => pspReference)).size).toBe(2)
})

it('where the merchant captures, the money comes with the CAPTURE under the number of the payment', async () => {
  const simulation = await simulateAccount({ ...ACCOUNT, capture: 'manual' })

  const paid = await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.idle()

  expect(itemOf(only(simulation.received))).toMatchObject({ eventCode: 'CAPTURE' })
  expect(await simulation.read(only(simulation.received))).toMatchObject({
    kind: 'payment',
    channelTxnId: paid.body['channelTxnId'],
  })
})

it("Backstop's close is received, and its outcome comes as a webhook", async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await open(simulation)
  const now = simulation.clock.now()

  const answer = await simulation.client().close?.({
    outTradeNo: sure(parseOutTradeNo('ORDER_0001')),
    money: money(8800),
    createdAt: instantOf(now),
    expiresAt: instantOf(now + 600_000),
  })
  await simulation.idle()

  expect(answer?.outcome).toMatchObject({ kind: 'notYet', code: 'CANCEL_RECEIVED' })
  expect(itemOf(only(simulation.received))).toMatchObject({ eventCode: 'TECHNICAL_CANCEL', success: 'true' })
  expect(await simulation.read(only(simulation.received))).toMatchObject({ kind: 'closed', outTradeNo: 'ORDER_0001' })
  expect(only(await simulation.payments()).status).toBe('closed')
})

it('a session whose time is over is an OFFER_CLOSED, which ends nothing', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await open(simulation)

  await simulation.control('close-by-channel', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()

  expect(itemOf(only(simulation.received)).eventCode).toBe('OFFER_CLOSED')
  expect(await simulation.read(only(simulation.received))).toMatchObject({ kind: 'other', outTradeNo: 'ORDER_0001' })
})

it('a cancel of what is paid or unknown is received all the same, and changes nothing', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const { body } = await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  const headers = { 'x-api-key': keyOf(simulation) }

  const answers = await Promise.all([
    cancel(simulation, 'ORDER_0001'),
    cancel(simulation, 'ORDER_9999'),
    simulation.call(`/v71/payments/${body['channelTxnId']}/cancels`, headers, { merchantAccount: 'BackstopLocal' }),
  ])
  await simulation.idle()

  expect(answers.map(({ status, body: { status: word } }) => [status, word])).toEqual(
    Array.from({ length: 3 }, () => [201, 'received']),
  )
  expect(only(await simulation.payments()).status).toBe('paid')
  expect(simulation.received).toHaveLength(1)
})

it('an idempotency key makes one session', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  const headers = { 'x-api-key': keyOf(simulation), 'idempotency-key': 'key-1' }
  const session = { merchantAccount: 'BackstopLocal', reference: 'ORDER_0001', amount: { value: 1, currency: 'EUR' } }

  const first = await simulation.call('/v71/sessions', headers, session)
  const second = await simulation.call('/v71/sessions', headers, session)

  expect(second).toEqual(first)
  expect(await simulation.payments()).toHaveLength(1)
})

it.each<[string, (simulation: AccountSimulation) => Promise<{ status: number }>, number]>([
  ['a foreign key', (simulation) => cancel(simulation, 'ORDER_0001', 'AQE-foreign'), 401],
  [
    'a foreign merchant account',
    (simulation) =>
      simulation.call(
        '/v71/cancels',
        { 'x-api-key': keyOf(simulation) },
        { merchantAccount: 'Other', paymentReference: 'ORDER_0001' },
      ),
    403,
  ],
  ['no reference', (simulation) => cancel(simulation, ''), 422],
  [
    'a query, which does not exist',
    (simulation) => simulation.call('/v71/payments/X', { 'x-api-key': keyOf(simulation) }),
    404,
  ],
])('%s is refused', async (_what, call, status) => {
  const simulation = await simulateAccount(ACCOUNT)

  const refused = await call(simulation)

  expect(refused.status).toBe(status)
})

it.each([
  ['signature', 'bad-signature'],
  ['amount', 'bad-signature'],
  ['account', 'not-ours'],
  ['livemode', 'not-ours'],
])('a notice with another %s is refused as %s', async (tamper, reason) => {
  const simulation = await simulateAccount(ACCOUNT)

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800, tamper })
  await simulation.idle()

  expect(await simulation.refusalOf(only(simulation.received))).toBe(reason)
})

it('slashes come as Adyen writes them, and the signature holds', async () => {
  const simulation = await simulateAccount(ACCOUNT)

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.idle()

  expect(only(simulation.received).body.toString()).toContain('\\/')
  expect(await simulation.refusalOf(only(simulation.received))).toBeUndefined()
})

it.each<[number, boolean]>([
  [202, true],
  [302, false],
  [500, false],
])('an answer of %i is an acknowledgement: %s', async (status, isAck) => {
  const simulation = await simulateAccount(ACCOUNT)
  simulation.answerWith(() => ({ status, headers: { location: '/elsewhere' } }))

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.idle()

  expect(only(only(await simulation.payments()).notices).status).toBe(isAck ? 'acked' : 'pending')
})

it('a notice that is never acknowledged is sent on the schedule of Adyen for 30 days', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  simulation.answerWith(() => ({ status: 500 }))
  const queue = [2, 5, 10, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE)

  await simulation.control('pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.leapBy(31 * DAY_MS)

  const gaps = gapsOf(simulation.received)
  const waits = [9, 18, 27, ...queue, ...gaps.slice(11).map(() => 8 * HOUR)]
  for (const [index, wait] of waits.entries()) expect(Math.abs((gaps[index] ?? 0) - wait)).toBeLessThan(TOLERANCE_S)
  const lastedMs = (simulation.received.at(-1)?.at ?? 0) - (simulation.received[0]?.at ?? 0)
  expect(lastedMs).toBeGreaterThan(29 * DAY_MS)
  expect(lastedMs).toBeLessThanOrEqual(30 * DAY_MS + TOLERANCE_S * 1000)
  expect(only(only(await simulation.payments()).notices).status).toBe('gave-up')
})

describe('one bad message', () => {
  const BAD = 'ORDER_0001'
  const isBad = (callback: Received) => itemOf(callback).merchantReference === BAD
  const ordersOf = ({ received }: AccountSimulation) => received.map((one) => itemOf(one).merchantReference)

  it('holds up the rest of its endpoint once it stands in the queue, and they follow it in order', async () => {
    const simulation = await simulateAccount(ACCOUNT)
    simulation.answerWith((callback) => ({ status: isBad(callback) ? 500 : 200 }))
    await simulation.control('pay', { outTradeNo: BAD, amount: 8800 })
    await simulation.leapBy(MINUTE * 1000)

    await simulation.control('pay', { outTradeNo: 'ORDER_0002', amount: 8800 })
    await simulation.control('pay', { outTradeNo: 'ORDER_0003', amount: 8800 })
    await simulation.leapBy(HOUR * 1000)
    const heldUp = ordersOf(simulation).filter((reference) => reference !== BAD)
    simulation.answerWith(() => ({ status: 200 }))
    await simulation.leapBy(HOUR * 1000)

    expect(heldUp).toEqual([])
    expect(ordersOf(simulation).slice(-3)).toEqual([BAD, 'ORDER_0002', 'ORDER_0003'])
    expect(simulation.nextDueAt()).toBeUndefined()
  })

  it('does not hold up the rest during its quick tries', async () => {
    const simulation = await simulateAccount(ACCOUNT)
    simulation.answerWith((callback) => ({ status: isBad(callback) ? 500 : 200 }))
    await simulation.control('pay', { outTradeNo: BAD, amount: 8800 })
    await simulation.idle()

    await simulation.control('pay', { outTradeNo: 'ORDER_0002', amount: 8800 })
    await simulation.idle()

    expect(ordersOf(simulation)).toEqual([BAD, 'ORDER_0002'])
  })

  it('still holds up the rest after a restart', async () => {
    const stateDir = temporaryFolder()
    const before = await simulateAccount(ACCOUNT, { stateDir })
    before.answerWith(() => ({ status: 500 }))
    await before.control('pay', { outTradeNo: BAD, amount: 8800 })
    await before.leapBy(MINUTE * 1000)
    await before.control('pay', { outTradeNo: 'ORDER_0002', amount: 8800 })
    await before.stop()

    const after = await simulateAccount(ACCOUNT, { stateDir, clock: before.clock })
    await after.idle()
    const beforeItsTime = after.received.length
    await after.leapBy(HOUR * 1000)

    expect(beforeItsTime).toBe(0)
    expect(ordersOf(after)).toEqual([BAD, 'ORDER_0002'])
    expect(after.secret).toBe(before.secret)
  })
})

it('a throttled API says so', async () => {
  const simulation = await simulateAccount(ACCOUNT)
  await simulation.control('outage', { mode: 'throttle' })

  const answer = await cancel(simulation, 'ORDER_0001')

  expect(answer).toMatchObject({ status: 429, body: { errorType: 'validation' } })
})
