import { describe, expect, it } from 'vitest'
import { openClient } from '../../clients/typescript/open-client.ts'
import { HttpError, ProblemError } from '../../clients/typescript/problem-error.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { aFreshOrderNo, NOW, openOrdersApi } from '../orders/orders-api.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshSku } from '../support/stock-builders.ts'
import { type CannedAnswer, serveApi } from './api-server.ts'

const { ledger } = await openTestLedger()
const server = await serveApi(openOrdersApi(ledger))

const body = { amount: 8800, currency: 'CNY', lines: [{ sku: 'tea', quantity: 1 }] }

function aClient(maxTries?: number) {
  const waitedMs: number[] = []
  let tokens = 0
  const client = openClient({
    baseUrl: `${server.url}/`,
    token: async () => `token-${++tokens}`,
    wait: async (ms) => waitedMs.push(ms),
    ...(maxTries !== undefined && { maxTries }),
  })
  return { client, waitedMs }
}

const refusal = (code: string, status: number, retryAfterS?: number): CannedAnswer => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
  },
  body: JSON.stringify({ type: `urn:backstop:problem:${code}`, title: code, status, code, detail: 'Wait.' }),
})

describe('the client', () => {
  it('calls an order’s operations with a token of each request', async () => {
    const { client } = aClient()
    const params = { orderNo: aFreshOrderNo() }
    server.received.length = 0

    const created = await client.call('putOrder', { params, body })
    await client.call('startPayAttempt', { params, body: { channel: 'partner' } })
    const { body: file } = await client.call('getOrder', { params, query: { limit: '50' } })
    const { body: asked } = await client.call('refreshOrder', { params })
    const { body: page } = await client.call('listTasks', { query: params })

    expect([created.status, created.headers.get('location')]).toEqual([201, `/orders/${params.orderNo}`])
    expect(file.order).toMatchObject({ orderNo: params.orderNo, status: 'PAYING' })
    expect(asked.tasks.map(({ nextExecuteAt }) => nextExecuteAt)).toEqual([NOW])
    expect(page.tasks.map(({ bizType }) => bizType).sort()).toEqual(['CLOSE_ORDER', 'QUERY_PAYMENT'])
    expect(server.received.map(({ authorization }) => authorization)).toEqual(
      [1, 2, 3, 4, 5].map((count) => `Bearer token-${count}`),
    )
  })

  it('sends names with odd characters as they are, and headers', async () => {
    const { client } = aClient()
    const orderNo = aFreshOrderNo()
    const outTradeNo = `${orderNo}|*@.:`
    await client.call('putOrder', { params: { orderNo }, body })
    await client.call('startPayAttempt', { params: { orderNo }, body: { channel: 'partner', outTradeNo } })

    const { body: attempt } = await client.call('addChannelRef', {
      params: { orderNo, outTradeNo },
      body: { channelRef: 'r-1' },
    })
    const sku = aFreshSku()
    const counted = await client.call('putStock', { params: { sku }, body: { onHand: 1 } })
    const etag = counted.headers.get('etag') ?? ''
    const changed = await client.call('putStock', {
      params: { sku },
      headers: { 'If-Match': etag },
      body: { onHand: 2 },
    })

    expect(attempt).toMatchObject({ outTradeNo, channelRef: 'r-1' })
    expect(changed.body).toMatchObject({ onHand: 2 })
  })

  it('throws a refusal with its code and fields', async () => {
    const { client, waitedMs } = aClient()

    const thrown = client.call('putOrder', { params: { orderNo: aFreshOrderNo() }, body: { ...body, amount: 0.5 } })

    await expect(thrown).rejects.toThrow(ProblemError)
    await expect(thrown).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 422,
      problem: { fields: [{ field: 'amount' }] },
    })
    expect(waitedMs).toEqual([])
  })

  it.each([
    ['ORDER_BUSY', 503],
    ['ORDER_BUSY', 409],
    ['LEDGER_UNAVAILABLE', 503],
  ])('sends again what was answered %s %d, when it is told to', async (code, status) => {
    const { client, waitedMs } = aClient()
    server.canned.push(refusal(code, status, 2), refusal(code, status, 3600))

    const { status: answered } = await client.call('putOrder', { params: { orderNo: aFreshOrderNo() }, body })

    expect(answered).toBe(201)
    expect(waitedMs.map((ms) => Math.floor(ms / 1000))).toEqual([2, 30])
  })

  it('gives up after its tries', async () => {
    const { client, waitedMs } = aClient(2)
    server.canned.push(refusal('ORDER_BUSY', 503, 1), refusal('ORDER_BUSY', 503, 1))

    const thrown = client.call('getOrder', { params: { orderNo: aFreshOrderNo() } })

    await expect(thrown).rejects.toMatchObject({ code: 'ORDER_BUSY' })
    expect(waitedMs).toHaveLength(1)
  })

  it.each([
    ['ORDER_CLOSING', 409, 5],
    ['INTERNAL', 500, 1],
    ['LEDGER_UNAVAILABLE', 503, undefined],
  ])('does not send again what was answered %s %d, Retry-After %s', async (code, status, retryAfterS) => {
    const { client, waitedMs } = aClient()
    server.canned.push(refusal(code, status, retryAfterS))

    await expect(client.call('getOrder', { params: { orderNo: aFreshOrderNo() } })).rejects.toMatchObject({ code })
    expect(waitedMs).toEqual([])
  })

  it('never starts two tries of a payment for one call', async () => {
    const { client } = aClient()
    const params = { orderNo: aFreshOrderNo() }
    await client.call('putOrder', { params, body })
    const lost = { ...refusal('LEDGER_UNAVAILABLE', 503, 1), after: true }

    server.canned.push(lost)
    const withoutNumber = client.call('startPayAttempt', { params, body: { channel: 'partner' } })
    await expect(withoutNumber).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    server.canned.push(lost)
    await client.call('startPayAttempt', { params, body: { channel: 'partner', outTradeNo: `${params.orderNo}_b` } })

    expect((await readOrderFile(ledger, params.orderNo)).payAttempts.map(({ outTradeNo }) => outTradeNo)).toEqual([
      params.orderNo,
      `${params.orderNo}_b`,
    ])
  })

  it.each([
    [401, '{"message":"Unauthorized"}'],
    [502, '<html>'],
  ])('throws an answer that is not Backstop’s as such: %d', async (status, text) => {
    const { client } = aClient()
    server.canned.push({ status, headers: { 'content-type': 'application/json' }, body: text })

    const thrown = client.call('getOrder', { params: { orderNo: aFreshOrderNo() } })

    await expect(thrown).rejects.toThrow(HttpError)
    await expect(thrown).rejects.toMatchObject({ status, message: expect.stringContaining(text) })
  })
})
