import { expect, it } from 'vitest'
import { type Simulation, simulate } from './simulation.ts'

const PAYMENTS = 40
const FAULTS = {
  lose: 0.2,
  drop: 0.2,
  double: 0.2,
  reorder: 0.3,
  tamper: 0.2,
  wrongAmount: 0.2,
  delayMs: 1000,
  seed: 42,
}
const DAY_MS = 24 * 3600 * 1000

async function payAll(simulation: Simulation, numbers: readonly number[]): Promise<void> {
  for (const n of numbers) {
    await simulation.control('partner', 'pay', { outTradeNo: `ORDER_${String(n).padStart(4, '0')}`, amount: 1000 + n })
  }
  await simulation.leapBy(DAY_MS)
}

/** What happened to each payment, by its number. */
async function fates(simulation: Simulation): Promise<Record<string, unknown>> {
  const payments = await simulation.payments('partner')
  return Object.fromEntries(
    payments.map(({ outTradeNo, amount, paidAmount, notices }) => [
      outTradeNo,
      { amount, paidAmount, statuses: notices.map(({ status }) => status) },
    ]),
  )
}

it('the same seed does the same to the same payments, in whatever order they come', async () => {
  const numbers = Array.from({ length: PAYMENTS }, (_, index) => index)
  const [forwards, backwards] = [await simulate(['partner']), await simulate(['partner'])]
  await forwards.control('partner', 'faults', FAULTS)
  await backwards.control('partner', 'faults', FAULTS)

  await payAll(forwards, numbers)
  await payAll(backwards, numbers.toReversed())

  expect(await fates(backwards)).toEqual(await fates(forwards))
})

it('another seed does something else', async () => {
  const numbers = Array.from({ length: PAYMENTS }, (_, index) => index)
  const [one, another] = [await simulate(['partner']), await simulate(['partner'])]
  await one.control('partner', 'faults', FAULTS)
  await another.control('partner', 'faults', { ...FAULTS, seed: 43 })

  await payAll(one, numbers)
  await payAll(another, numbers)

  expect(await fates(another)).not.toEqual(await fates(one))
})

it('each fault happens to some payments and not to all', async () => {
  const simulation = await simulate(['partner'])
  await simulation.control('partner', 'faults', FAULTS)
  simulation.answerWith((received) => ({ status: simulation.refusalOf(received) === undefined ? 200 : 400 }))

  await payAll(
    simulation,
    Array.from({ length: PAYMENTS }, (_, index) => index),
  )

  const payments = await simulation.payments('partner')
  const share = (happened: (payment: (typeof payments)[number]) => boolean) => payments.filter(happened).length
  const shares = {
    lost: share(({ notices }) => notices.some(({ status }) => status === 'lost')),
    doubled: share(({ notices }) => notices.length === 2),
    repeated: share(({ notices }) => notices.some(({ attempts }) => attempts > 1)),
    wrong: share(({ amount, paidAmount }) => amount !== paidAmount),
  }
  for (const count of Object.values(shares)) {
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(PAYMENTS)
  }
  const reasons = new Set(simulation.received.map((received) => simulation.refusalOf(received)))
  expect(reasons).toEqual(new Set([undefined, 'bad-signature']))
  const arrivals = simulation.received.map((received) => received.body.toString().match(/ORDER_\d+/)?.[0])
  expect(arrivals).not.toEqual(arrivals.toSorted())
})

it('what the buyer says of callbacks is stronger than the faults', async () => {
  const simulation = await simulate(['partner'])
  await simulation.control('partner', 'faults', { lose: 1, double: 1, tamper: 1 })

  await simulation.control('partner', 'pay', { outTradeNo: 'ORDER_0001', amount: 1000, callbacks: 'normal' })
  await simulation.idle()

  expect(simulation.received.map((received) => simulation.read(received).kind)).toEqual(['payment'])
})
