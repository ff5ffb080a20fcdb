import { afterEach, expect, it } from 'vitest'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { type Merchant, startMerchant } from '../../../../local/world/merchant/start-merchant.ts'
import { readSigningKeys, signWebhook } from '../../../../modules/outgoing/webhook/sign-webhook.ts'
import { temporaryFolder } from '../channels/simulation.ts'

const SECRET = JSON.stringify({ secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`] })
const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
const merchants: Merchant[] = []

afterEach(async () => {
  for (const merchant of merchants.splice(0)) await merchant.stop()
})

async function aMerchant(stateDir?: string): Promise<Merchant> {
  const merchant = await startMerchant({ clock, secret: () => SECRET, ...(stateDir !== undefined && { stateDir }) })
  merchants.push(merchant)
  return merchant
}

/** The status, or `cut` when there was no answer. */
async function deliver(merchant: Merchant, id = 'dlv_1', data: object = {}, signedAt = clock.now()) {
  const body = JSON.stringify({
    type: 'order.deliver',
    timestamp: new Date(clock.now()).toISOString(),
    data: { orderNo: 'ORDER_0001', deliveryNo: id, line: 1, sku: 'coffee', quantity: 2, ...data },
  })
  const headers = signWebhook(readSigningKeys(SECRET), id, Math.floor(signedAt / 1000), body)
  try {
    return (await fetch(merchant.url, { method: 'POST', headers, body })).status
  } catch {
    return 'cut'
  }
}

it('delivers once what it is told twice', async () => {
  const merchant = await aMerchant()

  const statuses = [await deliver(merchant), await deliver(merchant)]

  expect(statuses).toEqual([200, 200])
  expect(merchant.deliveries()).toMatchObject([
    { deliveryNo: 'dlv_1', orderNo: 'ORDER_0001', line: 1, sku: 'coffee', quantity: 2, timesSeen: 2 },
  ])
})

it('refuses a foreign signature and an old one', async () => {
  const merchant = await aMerchant()

  const foreign = await fetch(merchant.url, {
    method: 'POST',
    headers: {
      'webhook-id': 'dlv_1',
      'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
      'webhook-signature': 'v1,x',
    },
    body: '{}',
  })
  const old = await deliver(merchant, 'dlv_1', {}, clock.now() - 301_000)

  expect([foreign.status, old]).toEqual([401, 401])
  expect(merchant.deliveries()).toEqual([])
})

it('judges the age by the clock of the simulation', async () => {
  const merchant = await aMerchant()
  clock.leapTo(clock.now() + 40 * 24 * 3600 * 1000)

  const status = await deliver(merchant)

  expect(status).toBe(200)
})

it('refuses an id that stood for another delivery', async () => {
  const merchant = await aMerchant()
  await deliver(merchant)

  const status = await deliver(merchant, 'dlv_1', { quantity: 3 })

  expect(status).toBe(409)
  expect(merchant.deliveries()).toMatchObject([{ quantity: 2, timesSeen: 1 }])
})

it.each([
  [{ mode: 'down' }, 'cut', 0],
  [{ mode: 'accept202' }, 202, 1],
  [{ mode: 'reject422' }, 422, 0],
  [{ mode: 'slow', ms: 1 }, 200, 1],
  [{ mode: 'flaky', p: 0 }, 200, 1],
] as const)('%o answers %s', async (mode, status, delivered) => {
  const merchant = await aMerchant()
  merchant.setMode(mode)

  const answered = await deliver(merchant)

  expect(answered).toBe(status)
  expect(merchant.deliveries()).toHaveLength(delivered)
})

it('when flaky, sometimes fails before and sometimes after it delivered', async () => {
  const merchant = await aMerchant()
  const changed = await fetch(`${merchant.url}/control/mode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode: 'flaky', p: 1 }),
  })

  const statuses = []
  for (let n = 1; n <= 12; n += 1) statuses.push(await deliver(merchant, `dlv_${n}`))

  const lost = statuses.filter((status) => status === 'cut')
  expect(changed.status).toBe(200)
  expect(new Set(statuses)).toEqual(new Set([500, 'cut']))
  expect(merchant.deliveries()).toHaveLength(lost.length)
})

it('keeps deliveries in its folder', async () => {
  const stateDir = temporaryFolder()
  const first = await aMerchant(stateDir)
  await deliver(first)
  await first.stop()
  merchants.splice(0)

  const second = await aMerchant(stateDir)

  const listed = await fetch(`${second.url}/deliveries`)
  expect(await listed.json()).toMatchObject({ deliveries: [{ deliveryNo: 'dlv_1', timesSeen: 1 }] })
})
