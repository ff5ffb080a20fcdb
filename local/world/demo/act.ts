import type { LocalApp } from '../app.ts'
import { DemoError } from './errors.ts'
import { placeAtPaypal } from './paypal-cashier.ts'
import { type DemoChannel, MINUTE_MS, type PlannedOrder, UNASKED } from './plan.ts'

/** One thing that the merchant's cashier or a buyer does at a moment of the demonstration. */
export interface Action {
  /** From the start of the demonstration. */
  readonly atMs: number
  readonly run: (world: World) => Promise<void>
}

/** What actions act on. */
export interface World {
  readonly app: LocalApp
  readonly token: string
}

/** What happens to one order, in time. */
export function actionsOf(order: PlannedOrder): readonly Action[] {
  const start = order.startsAtMs
  const paidAt = start + order.paysAfterMs
  const create: Action = { atMs: start, run: (world) => createOrder(world, order) }
  const begin: Action = { atMs: start + 500, run: (world) => startPayAttempt(world, order, order.channel) }
  const paid = (directives: object = {}, atMs = paidAt): Action => ({
    atMs,
    run: (world) => pay(world, order, order.channel, directives),
  })
  switch (order.accident) {
    case 'none':
      return [create, begin, paid()]
    case 'callback doubled':
      return [create, begin, paid({ callbacks: 'double' })]
    case 'callback late':
      return [create, begin, paid({ callbacks: { delayMs: 4 * MINUTE_MS } })]
    case 'callback tampered':
      return [create, begin, paid({ tamper: 'signature' })]
    case 'every callback lost':
      return [create, begin, paid(UNASKED.has(order.channel) ? {} : { callbacks: 'lose' })]
    case 'callback before order':
      return [paid({}, start), { ...create, atMs: start + 3_000 }]
    case 'order never comes':
      return [paid({}, start)]
    case 'order comes after orphan':
      return [paid({}, start), { ...create, atMs: start + 50 * MINUTE_MS }]
    case 'wrong amount':
      return [create, begin, paid({ payAmount: order.amount + 1 })]
    case 'two channels paid':
      return [
        create,
        begin,
        { atMs: start + 1_000, run: (world) => startPayAttempt(world, order, order.otherChannel) },
        paid(),
        { atMs: paidAt + 20_000, run: (world) => pay(world, order, order.otherChannel, {}) },
      ]
    case 'never paid':
      return [create, begin]
    case 'paid after close':
      return [create, begin, paid({}, start + 45 * MINUTE_MS)]
    case 'first channel fails':
      return [
        create,
        begin,
        { atMs: start + 2_000, run: (world) => startPayAttempt(world, order, order.otherChannel) },
        { atMs: paidAt, run: (world) => pay(world, order, order.otherChannel, {}) },
      ]
  }
}

async function createOrder(world: World, order: PlannedOrder): Promise<void> {
  const { amount, currency, sku, quantity } = order
  await callApi(world, 'PUT', `/orders/${order.orderNo}`, { amount, currency, lines: [{ sku, quantity }] })
}

/** The number that a payAttempt gets on a channel: the order's own, each channel has its own space. */
async function startPayAttempt(world: World, order: PlannedOrder, channel: DemoChannel): Promise<void> {
  const channelRef = channel === 'paypal' ? await placeAtPaypal(world.app.simulators, order) : undefined
  const body = { channel, outTradeNo: order.orderNo, ...(channelRef !== undefined && { channelRef }) }
  await callApi(world, 'POST', `/orders/${order.orderNo}/pay-attempts`, body)
}

/** @throws DemoError when the API refuses what the plan expects it to take */
export async function callApi({ app, token }: World, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${app.stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new DemoError(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
}

/** The buyer pays at the channel; what becomes of the notice is the channel's affair. */
async function pay(world: World, order: PlannedOrder, channel: DemoChannel, directives: object): Promise<void> {
  const { orderNo, amount, currency } = order
  if (channel === 'paypal') await placeAtPaypal(world.app.simulators, order)
  const answer = await fetch(`${world.app.simulators.urls[channel]}/control/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outTradeNo: orderNo, amount, currency, ...directives }),
  })
  // A channel that was told to close the payment refuses it: nothing moved, which is the point of closing.
  if (answer.ok || answer.status === 409) return
  throw new DemoError(`Paying ${orderNo} at ${channel} was answered ${answer.status}: ${await answer.text()}`)
}
