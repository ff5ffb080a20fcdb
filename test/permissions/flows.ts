import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { LocalApp } from '../../local/world/app.ts'
import { partnerNotice } from '../support/journey-notices.ts'
import { callbackMessage, loseTriggers, queueName } from '../support/journey-queues.ts'

const MINUTE_MS = 60_000
const MONEY = { amount: 8800, currency: 'CNY' }
const UNPAID = { orderNo: 'UNPAID_alipay', channel: 'alipay', outTradeNo: 'UNPAID_alipay' }
const CHANNELS = ['alipay', 'wechatpay', 'stripe', 'partner', 'adyen', 'paypal'] as const
type Channel = (typeof CHANNELS)[number]

/** The world that the flows act on. */
export interface FlowWorld {
  readonly app: LocalApp
  readonly token: string
}

/** Takes every way through the system once, as short as that goes: each call that a function can make is made. */
export async function runAllFlows(world: FlowWorld): Promise<void> {
  const { stack, merchant } = world.app
  await sellCodes(world)
  await comeTooEarly(world)
  for (const channel of CHANNELS) {
    await order(world, `PAID_${channel}`, channel)
    await order(world, `ASKED_${channel}`, channel)
    await order(world, `UNPAID_${channel}`, channel)
    await pay(world, channel, `PAID_${channel}`)
    await pay(world, channel, `ASKED_${channel}`, { callbacks: 'lose' })
  }
  await stack.idle()
  await payAgain(world)
  await changeChannels(world)
  await askTheApi(world)
  merchant.setMode({ mode: 'down' })
  await order(world, 'RETRIED-1', 'partner')
  await pay(world, 'partner', 'RETRIED-1')
  await stack.leapBy(5 * MINUTE_MS)
  merchant.setMode({ mode: 'ok' })
  await loseOneTimer(world)
  await loseTheBus(world)
  await rescueFromDeadLetters(world)
  await stack.leapBy(30 * MINUTE_MS)
  await pay(world, 'partner', 'UNPAID_partner')
  await findOrphans(world)
  await stack.leapBy(3 * MINUTE_MS)
  await refreshCertificates(world)
}

async function sellCodes(world: FlowWorld): Promise<void> {
  await call(world, 'PUT', '/stock/GIFT', { kind: 'card-code' })
  await call(world, 'POST', '/stock/GIFT/codes', { codes: ['ONE', 'TWO', 'THREE'] })
  await call(world, 'PUT', '/stock/TEA', { onHand: 100 })
  await call(world, 'GET', '/stock/TEA')
  await order(world, 'CODES-1', 'partner', [
    { sku: 'GIFT', quantity: 2 },
    { sku: 'TEA', quantity: 1 },
  ])
  await pay(world, 'partner', 'CODES-1')
  await world.app.stack.idle()
  await call(world, 'GET', '/orders/CODES-1/codes')
}

/** Money before its order: one text too big for a row that the order follows, one of a try that nobody knows yet. */
async function comeTooEarly(world: FlowWorld): Promise<void> {
  const { stack } = world.app
  await sendNotice(world, { outTradeNo: 'EARLY-1', txn: 'early-1', more: { note: randomBytes(9000).toString('hex') } })
  await sendNotice(world, { outTradeNo: 'LATER_TRY', txn: 'later-1' })
  await sendNotice(world, { outTradeNo: 'ORPHAN-1', txn: 'orphan-1' })
  await stack.idle()
  await order(world, 'EARLY-1')
}

async function payAgain(world: FlowWorld): Promise<void> {
  await sendNotice(world, { outTradeNo: 'PAID_partner', txn: 'second-1' })
  await sendNotice(world, { outTradeNo: 'UNPAID_alipay', txn: 'short-1', amount: 1 })
  await world.app.stack.idle()
}

/** A buyer who goes over to another channel: the first try is closed at its own, once it has expired. */
async function changeChannels(world: FlowWorld): Promise<void> {
  await order(world, 'CHANGED-1', 'adyen')
  await call(world, 'POST', '/orders/CHANGED-1/pay-attempts', { channel: 'partner', outTradeNo: 'CHANGED-1' })
  await pay(world, 'partner', 'CHANGED-1')
  await world.app.stack.idle()
}

async function askTheApi(world: FlowWorld): Promise<void> {
  await call(world, 'GET', '/orders/PAID_alipay')
  await call(world, 'POST', '/orders/UNPAID_stripe/refresh')
  await call(world, 'POST', '/orders/PAID_alipay/notices/replay', {})
  await call(world, 'PATCH', '/orders/UNPAID_stripe/pay-attempts/UNPAID_stripe', { channelRef: 'pi_of_this_try' })
  await order(world, 'CLOSED-1', 'wechatpay')
  await call(world, 'POST', '/orders/CLOSED-1/close')
  await call(world, 'POST', '/tasks', { ...UNPAID, bizType: 'QUERY_PAYMENT' })
  await call(world, 'GET', '/tasks?status=MANUAL')
  await call(world, 'GET', '/tasks?orderNo=PAID_alipay')
}

async function loseOneTimer(world: FlowWorld): Promise<void> {
  const { stack } = world.app
  await order(world, 'LOST-TIMER')
  await stack.idle()
  const answer = await call(world, 'GET', '/tasks?orderNo=LOST-TIMER')
  const { tasks } = z.object({ tasks: z.array(z.object({ taskNo: z.string(), bizType: z.string() })) }).parse(answer)
  const close = tasks.find(({ bizType }) => bizType === 'CLOSE_ORDER')
  await loseTriggers(stack, 'internal', String(close?.taskNo))
}

/** A change that the bus does not take: marked now, asked for again and taken in the leaps that follow. */
async function loseTheBus(world: FlowWorld): Promise<void> {
  const { stack } = world.app
  stack.eventBridge.setMode('refusing')
  await order(world, 'UNTOLD-1')
  await stack.idle()
  stack.eventBridge.setMode('ok')
}

/** What settle gave up: a callback, the same once more, and what is none. */
async function rescueFromDeadLetters({ app }: FlowWorld): Promise<void> {
  const { stack } = app
  const notice = partnerNotice({ outTradeNo: 'PAID_partner', txn: 'rescued-1' }, stack.clock.now())
  const queue = queueName(stack, 'Settling/Callbacks/DeadLetters/Queue')
  await stack.sqs.send(queue, { body: callbackMessage(notice, stack.clock.now()) })
  await stack.idle()
  await stack.sqs.send(queue, { body: callbackMessage(notice, stack.clock.now()) })
  await stack.sqs.send(queue, { body: 'no json' })
  await stack.idle()
}

/** Orders that come when their money is an orphan already: told by the order itself, and by the channel once more. */
async function findOrphans(world: FlowWorld): Promise<void> {
  await order(world, 'ORPHAN-1')
  await order(world, 'TRIED-1')
  await call(world, 'POST', '/orders/TRIED-1/pay-attempts', { channel: 'partner', outTradeNo: 'LATER_TRY' })
  await sendNotice(world, { outTradeNo: 'LATER_TRY', txn: 'later-1', id: 'msg_told_again' })
}

/** In one leap: what comes each minute comes once in it. */
async function refreshCertificates({ app: { stack } }: FlowWorld): Promise<void> {
  stack.clock.leapTo(stack.clock.now() + 10 * 60 * MINUTE_MS)
  await stack.idle()
}

/** Has an order watched, and a payment of it when a channel is named. */
async function order(
  world: FlowWorld,
  orderNo: string,
  channel?: Channel,
  lines: readonly object[] = [{ sku: 'BOOK', quantity: 1 }],
): Promise<void> {
  await call(world, 'PUT', `/orders/${orderNo}`, { ...MONEY, lines })
  if (channel === undefined) return
  await call(world, 'POST', `/orders/${orderNo}/pay-attempts`, { channel, outTradeNo: orderNo })
}

async function pay({ app }: FlowWorld, channel: Channel, outTradeNo: string, directives: object = {}): Promise<void> {
  await send(`${app.simulators.urls[channel]}/control/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outTradeNo, ...MONEY, ...directives }),
  })
}

const partnerSecret = z.object({ secrets: z.tuple([z.string()]) })

async function sendNotice({ app }: FlowWorld, payment: Parameters<typeof partnerNotice>[0]): Promise<void> {
  const { secrets } = partnerSecret.parse(JSON.parse(app.simulators.secrets['partner'] ?? '{}'))
  const { headers, body } = partnerNotice({ ...payment, secret: secrets[0] }, app.clock.now())
  await send(`${app.stack.url}/callbacks/partner`, { method: 'POST', headers: { ...headers }, body })
}

async function call({ app, token }: FlowWorld, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return JSON.parse(
    await send(`${app.stack.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}

/** @throws Error when the answer is none of success: a flow that stops half-way proves nothing */
async function send(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${init.method} ${url} was answered ${answer.status}: ${text}`)
  return text
}
