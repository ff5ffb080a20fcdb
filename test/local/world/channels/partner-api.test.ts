import { expect, it } from 'vitest'
import { only, type Simulation, simulate } from './simulation.ts'

const ORDER = { order_no: 'ORDER_0001', amount: 8800, currency: 'CNY' }

function place(simulation: Simulation, body: unknown): Promise<Response> {
  return fetch(`${simulation.simulators.urls['partner']}/payments`, { method: 'POST', body: JSON.stringify(body) })
}

it('a payment is placed once per number, then paid under its transaction', async () => {
  const simulation = await simulate(['partner'])

  const placed = await place(simulation, ORDER)
  const again = await place(simulation, ORDER)
  const { transaction_id: txnId, status } = JSON.parse(await placed.text())
  await simulation.control('partner', 'pay', { outTradeNo: 'ORDER_0001' })
  await simulation.idle()

  expect([placed.status, again.status, status]).toEqual([201, 201, 'open'])
  expect(await again.json()).toMatchObject({ transaction_id: txnId })
  expect(simulation.read(only(simulation.received))).toMatchObject({ channelTxnId: txnId, money: { amount: 8800 } })
})

it.each([
  ['another amount under the same number', { ...ORDER, amount: 1 }, 409],
  ['no currency', { order_no: 'ORDER_0002', amount: 1 }, 400],
  ['no JSON object', 'text', 400],
])('%s is refused', async (_what, body, status) => {
  const simulation = await simulate(['partner'])
  await place(simulation, ORDER)

  const refused = await place(simulation, body)

  expect(refused.status).toBe(status)
})

it('there is no query', async () => {
  const simulation = await simulate(['partner'])

  const answer = await fetch(`${simulation.simulators.urls['partner']}/payments/ORDER_0001`)

  expect(answer.status).toBe(404)
})
