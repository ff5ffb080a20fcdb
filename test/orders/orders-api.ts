import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { OrdersDeps } from '../../functions/orders/deps.ts'
import { ordersTable, ordersWords } from '../../functions/orders/operations.ts'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { readCodeKeys } from '../../modules/codes/code-keys.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openApi } from '../../modules/http-api/open-api.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { aContext } from '../support/context.ts'
import { aChannel, anInstant, anOrderNo } from '../support/core-builders.ts'
import { checkDocumented } from './documented.ts'

const MINUTE_MS = 60_000
export const NOW = anInstant('2026-03-01T08:00:00.000Z')
/** `NOW` and 15 minutes, when an order closes that names no time. */
export const CLOSE_AT = plusMs(NOW, 15 * MINUTE_MS)

const types = { payment: ['payment.succeeded'] }
const accounts: readonly ChannelAccount[] = [
  { id: aChannel('alipay'), kind: 'alipay', appId: '2026000100010001', sellerId: '2088000000000001' },
  { id: aChannel('wechatpay'), kind: 'wechatpay', appId: 'wx0000000000000001', mchId: '1900000001' },
  { id: aChannel('stripe'), kind: 'stripe', livemode: false },
  {
    id: aChannel('partner'),
    kind: 'standard-webhooks',
    scheme: 'v1',
    mapping: { type: 't', outTradeNo: 'o', channelTxnId: 'x', amount: 'a', currency: 'c', unit: 'minor', types },
  },
]

/** The secret CodeKeys as a deploy generates it. */
export const CODE_KEYS = JSON.stringify({ id: 'k1', previous: [], key: 'k'.repeat(64) })

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
  /** The body as it was sent. */
  readonly text: string
}

export interface Sent {
  readonly path?: Record<string, string>
  readonly query?: Record<string, string>
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly isBase64Encoded?: boolean
  readonly headers?: Record<string, string>
}

export interface OrdersApi {
  readonly clock: { now: Instant }
  send(routeKey: string, sent: Sent): Promise<ApiAnswer>
  put(orderNo: string, body: unknown): Promise<ApiAnswer>
  pay(orderNo: string, body: unknown): Promise<ApiAnswer>
  patch(orderNo: string, outTradeNo: string, body: unknown): Promise<ApiAnswer>
  get(orderNo: string, query?: Record<string, string>): Promise<ApiAnswer>
}

const jsonObject = z.record(z.string(), z.unknown())

/** The orders API as its Lambda runs it, on a ledger and a clock at hand. */
export function openOrdersApi(ledger: Ledger): OrdersApi {
  const clock = { now: NOW }
  const deps: OrdersDeps = {
    ledger,
    channels: new Map(accounts.map((account) => [account.id as string, account])),
    policies: bindPolicies({}),
    closeAfterMs: 15 * MINUTE_MS,
    webhooks: new Set(['backup']),
    codeKeys: { get: async () => readCodeKeys(CODE_KEYS), refetch: async () => undefined },
    now: () => clock.now,
  }
  const handler = openApi(ordersTable, deps, ordersWords)
  const send = async (
    routeKey: string,
    { path, query, body, headers, isBase64Encoded = false }: Sent,
  ): Promise<ApiAnswer> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const result = await handler(
      {
        routeKey,
        ...(path !== undefined && { pathParameters: path }),
        ...(query !== undefined && { queryStringParameters: query }),
        ...(text !== undefined && { body: text }),
        isBase64Encoded,
        ...(headers !== undefined && { headers }),
        requestContext: { requestId: 'request-1', authorizer: { jwt: { claims: { client_id: 'shop' } } } },
      },
      aContext('orders'),
    )
    const answered = String(result.body)
    checkDocumented(routeKey, Number(result.statusCode), JSON.parse(answered))
    return {
      status: Number(result.statusCode),
      headers: result.headers ?? {},
      body: jsonObject.parse(JSON.parse(answered)),
      text: answered,
    }
  }
  return {
    clock,
    send,
    put: (orderNo, body) => send('PUT /orders/{orderNo}', { path: { orderNo }, body }),
    pay: (orderNo, body) => send('POST /orders/{orderNo}/pay-attempts', { path: { orderNo }, body }),
    patch: (orderNo, outTradeNo, body) =>
      send('PATCH /orders/{orderNo}/pay-attempts/{outTradeNo}', { path: { orderNo, outTradeNo }, body }),
    get: (orderNo, query) =>
      send('GET /orders/{orderNo}', { path: { orderNo }, ...(query !== undefined && { query }) }),
  }
}

/** A number that no other test uses; every channel takes it. */
export const aFreshOrderNo = () => anOrderNo(`T${randomUUID().replaceAll('-', '').slice(0, 15)}`)

/** 88.00 yuan for two cards. */
export const anOrderBody = (change: Record<string, unknown> = {}) => ({
  amount: 8800,
  currency: 'CNY',
  lines: [{ sku: 'CARD-44', quantity: 2 }],
  ...change,
})

/** The names of the fields that a refusal complains of. */
export function fieldsOf({ body }: ApiAnswer): readonly string[] {
  const fields = z.array(z.object({ field: z.string(), problem: z.string().min(1) })).default([])
  return fields.parse(body['fields']).map(({ field }) => field)
}
