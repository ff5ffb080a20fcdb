import { Stripe } from 'stripe'
import { expect, it } from 'vitest'
import { only, type Simulation, simulate } from './simulation.ts'

/** Stripe's own client, turned to the simulator. */
function clientOf(simulation: Simulation, apiKey?: string): Stripe {
  const { hostname, port } = new URL(simulation.simulators.urls['stripe'] ?? '')
  const key = apiKey ?? JSON.parse(simulation.simulators.secrets['stripe'] ?? '').apiKey
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}

const ORDER = { amount: 8800, currency: 'cny', metadata: { order_no: 'ORDER_0001' } }

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error.code ?? error.type
    throw error
  }
}

it('an intent is created, found, paid and read', async () => {
  const simulation = await simulate(['stripe'])
  const stripe = clientOf(simulation)

  const created = await stripe.paymentIntents.create(ORDER)
  const found = await stripe.paymentIntents.search({ query: `metadata['order_no']:'ORDER_0001'` })
  await simulation.control('stripe', 'pay', { outTradeNo: 'ORDER_0001' })
  const paid = await stripe.paymentIntents.retrieve(created.id)
  await simulation.idle()

  expect(created).toMatchObject({
    status: 'requires_payment_method',
    amount: 8800,
    amount_received: 0,
    livemode: false,
  })
  expect(only(found.data).id).toBe(created.id)
  expect(paid).toMatchObject({ id: created.id, status: 'succeeded', amount_received: 8800, metadata: ORDER.metadata })
  expect(simulation.read(only(simulation.received)).channelTxnId).toBe(created.id)
})

it('a refused card leaves the intent open, with its error', async () => {
  const simulation = await simulate(['stripe'])
  const { id } = await clientOf(simulation).paymentIntents.create(ORDER)

  await simulation.control('stripe', 'fail', { outTradeNo: 'ORDER_0001' })

  const intent = await clientOf(simulation).paymentIntents.retrieve(id)
  expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } })
})

it('of a paid intent there are no refunds, disputes and sessions', async () => {
  const simulation = await simulate(['stripe'])
  const stripe = clientOf(simulation)
  const { id } = await stripe.paymentIntents.create(ORDER)
  await simulation.control('stripe', 'pay', { outTradeNo: 'ORDER_0001' })

  const refunds = await stripe.refunds.list({ payment_intent: id })
  const disputes = await stripe.disputes.list({ payment_intent: id })
  const sessions = await stripe.checkout.sessions.list({ payment_intent: id })

  expect([refunds.data, disputes.data, sessions.data]).toEqual([[], [], []])
  expect(await codeOf(stripe.refunds.list({ payment_intent: 'pi_unknown' }))).toBe('resource_missing')
})

it('an open intent is cancelled, and the merchant is told', async () => {
  const simulation = await simulate(['stripe'])
  const { id } = await clientOf(simulation).paymentIntents.create(ORDER)

  const canceled = await clientOf(simulation).paymentIntents.cancel(id)
  await simulation.idle()

  expect(canceled.status).toBe('canceled')
  expect(simulation.read(only(simulation.received))).toMatchObject({ kind: 'closed', channelTxnId: id })
})

it('a paid intent cannot be cancelled, and the error shows it', async () => {
  const simulation = await simulate(['stripe'])
  const { id } = await clientOf(simulation).paymentIntents.create(ORDER)
  await simulation.control('stripe', 'pay', { outTradeNo: 'ORDER_0001' })

  const canceling = clientOf(simulation).paymentIntents.cancel(id)

  await expect(canceling).rejects.toMatchObject({
    code: 'payment_intent_unexpected_state',
    statusCode: 400,
    payment_intent: { id, status: 'succeeded' },
  })
})

it.each<[string, (stripe: Stripe) => Promise<unknown>, string]>([
  ['an unknown intent', (stripe) => stripe.paymentIntents.retrieve('pi_unknown'), 'resource_missing'],
  ['an amount of nothing', (stripe) => stripe.paymentIntents.create({ ...ORDER, amount: 0 }), 'parameter_invalid'],
  [
    'a missing order number',
    (stripe) => stripe.paymentIntents.create({ amount: 1, currency: 'eur' }),
    'parameter_invalid',
  ],
])('%s is refused', async (_what, call, code) => {
  const simulation = await simulate(['stripe'])

  const refused = await codeOf(call(clientOf(simulation)))

  expect(refused).toBe(code)
})

it('a foreign key is refused', async () => {
  const simulation = await simulate(['stripe'])

  const retrieving = clientOf(simulation, 'sk_test_foreign').paymentIntents.retrieve('pi_unknown')

  await expect(retrieving).rejects.toMatchObject({ statusCode: 401 })
})

it('an idempotency key makes one intent, and takes no other parameters', async () => {
  const simulation = await simulate(['stripe'])
  const stripe = clientOf(simulation)
  const key = { idempotencyKey: 'key-1' }

  const first = await stripe.paymentIntents.create(ORDER, key)
  const second = await stripe.paymentIntents.create(ORDER, key)
  const other = stripe.paymentIntents.create({ ...ORDER, amount: 1 }, key)

  await expect(other).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
  expect(second.id).toBe(first.id)
  expect(await simulation.payments('stripe')).toHaveLength(1)
})

it('an outage cuts, throttles, lies and ends', async () => {
  const simulation = await simulate(['stripe'])
  const stripe = clientOf(simulation)
  const { id } = await stripe.paymentIntents.create(ORDER)
  await simulation.control('stripe', 'pay', { outTradeNo: 'ORDER_0001' })

  await simulation.control('stripe', 'outage', { mode: 'down' })
  await expect(stripe.paymentIntents.retrieve(id)).rejects.toMatchObject({ type: 'StripeConnectionError' })
  await simulation.control('stripe', 'outage', { mode: 'throttle' })
  await expect(stripe.paymentIntents.retrieve(id)).rejects.toMatchObject({ statusCode: 429, code: 'rate_limit' })
  await simulation.control('stripe', 'outage', { mode: 'lie', forMs: 60_000 })
  expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
    status: 'requires_payment_method',
    amount_received: 0,
  })
  expect((await stripe.paymentIntents.cancel(id)).status).toBe('canceled')
  await simulation.leapBy(61_000)

  expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded')
  expect(only(await simulation.payments('stripe')).status).toBe('paid')
})

it('a slow API answers late, unless the client gives up', async () => {
  const simulation = await simulate(['stripe'])
  await simulation.control('stripe', 'outage', { mode: 'slow', ms: 60_000 })

  const asking = fetch(`${simulation.simulators.urls['stripe']}/v1/payment_intents/pi_1`, {
    signal: AbortSignal.timeout(50),
  })

  await expect(asking).rejects.toMatchObject({ name: 'TimeoutError' })
  await simulation.idle()
})
