// Creates an order, announces a payment, and prints each change until the order is delivered or closed.
//   node examples/create-and-watch.ts                       (then pay by hand, as the screen of `npm start` shows)
//   node examples/create-and-watch.ts --partner <address>   (pays by a signed callback of the simulated partner channel)
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openClient } from '../clients/typescript/open-client.ts'
import { ProblemError } from '../clients/typescript/problem-error.ts'

const LOOK_MS = 500
const ENDS = new Set(['DELIVERED', 'COMPLETED', 'CLOSED', 'REFUNDED'])

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'http://127.0.0.1:8787' },
    'token-file': { type: 'string', default: '.backstop/token' },
    partner: { type: 'string' },
  },
})
const backstop = openClient({
  baseUrl: values.api,
  token: () => readFileSync(values['token-file'], 'utf8').trim(),
})

try {
  await createAndWatch(`DEMO-${Date.now()}`)
} catch (error) {
  if (!(error instanceof ProblemError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function createAndWatch(orderNo: string): Promise<void> {
  const params = { orderNo }
  const lines = [{ sku: 'tea', quantity: 1 }]
  const { body: order } = await backstop.call('putOrder', { params, body: { amount: 8800, currency: 'CNY', lines } })
  console.log(`${order.orderNo} ${order.status}, closes at ${order.closeAt}`)

  const { body: attempt } = await backstop.call('startPayAttempt', {
    params,
    body: { channel: 'partner', outTradeNo: orderNo },
  })
  console.log(`call the channel with outTradeNo ${attempt.outTradeNo}`)
  if (values.partner !== undefined) await pay(values.partner, attempt.outTradeNo)

  await watch(orderNo)
}

/** What the buyer does at the cashier; here the simulated channel is told to have been paid. */
async function pay(partner: string, outTradeNo: string): Promise<void> {
  const response = await fetch(`${partner}/control/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outTradeNo, amount: 8800, currency: 'CNY' }),
  })
  if (!response.ok) throw new Error(`The simulator answered ${response.status}.`)
}

async function watch(orderNo: string): Promise<void> {
  let seen = 0
  for (;;) {
    const { body: file } = await backstop.call('getOrder', { params: { orderNo } })
    for (const { from, to, reason, orderRevision } of file.journal) {
      if (orderRevision > seen) console.log(`${from === '' ? 'created' : from} -> ${to} (${reason})`)
      seen = Math.max(seen, orderRevision)
    }
    if (ENDS.has(file.order.status)) return
    await sleep(LOOK_MS)
  }
}
