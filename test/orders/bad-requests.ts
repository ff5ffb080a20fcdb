import type { OperationId } from '../../functions/orders/routes.ts'
import { aFreshSku } from '../support/stock-builders.ts'
import type { badJson, badText } from './bad-values.ts'
import { aFreshOrderNo, anOrderBody, type Sent } from './orders-api.ts'

export const orderNo = aFreshOrderNo()
export const sku = aFreshSku()
export const cards = aFreshSku()

/** A request of each operation that nothing is wrong with; every optional field is there. */
export const good: { readonly [Id in OperationId]: Sent & { readonly body?: Record<string, unknown> } } = {
  putOrder: {
    path: { orderNo },
    body: anOrderBody({ closeAt: '2026-03-02T08:00:00Z', attributes: { note: 'n' } }),
  },
  getOrder: { path: { orderNo }, query: { limit: '5' } },
  startPayAttempt: {
    path: { orderNo },
    body: {
      channel: 'stripe',
      outTradeNo: `${orderNo}_2`,
      expiresAt: '2026-03-01T08:10:00Z',
      channelRef: 'pi_2',
      amount: 8800,
      currency: 'CNY',
    },
  },
  addChannelRef: { path: { orderNo, outTradeNo: orderNo }, body: { channel: 'alipay', channelRef: 'a-1' } },
  closeOrder: { path: { orderNo } },
  refreshOrder: { path: { orderNo } },
  replayNotices: { path: { orderNo }, body: { fromSequence: 2 } },
  getCodes: { path: { orderNo } },
  listTasks: { query: { status: 'MANUAL', limit: '5' } },
  createTask: { body: { bizType: 'QUERY_PAYMENT', orderNo, channel: 'alipay', outTradeNo: orderNo } },
  putStock: {
    path: { sku },
    body: { onHand: 10, kind: 'goods', interfaces: ['webhook'], buckets: 10 },
    headers: { 'if-match': '*' },
  },
  getStock: { path: { sku } },
  addCodes: { path: { sku: cards }, body: { codes: ['A-1', 'A-2'] } },
}

type Kind = keyof typeof badJson
/** Every field of a body, and where the fault goes: a path into the good body. */
export const bodyFields: {
  readonly [Id in OperationId]?: readonly (readonly [path: string, kind: Kind, field?: string])[]
} = {
  putOrder: [
    ['amount', 'amount'],
    ['currency', 'currency'],
    ['lines', 'lines'],
    ['lines.0.sku', 'id', 'lines[0].sku'],
    ['lines.0.quantity', 'quantity', 'lines[0].quantity'],
    ['closeAt', 'instant'],
    ['attributes', 'attributes'],
    ['attributes.note', 'attribute', 'attributes.*'],
  ],
  startPayAttempt: [
    ['channel', 'id'],
    ['outTradeNo', 'id'],
    ['expiresAt', 'instant'],
    ['channelRef', 'ref'],
    ['amount', 'amount'],
    ['currency', 'currency'],
  ],
  addChannelRef: [
    ['channel', 'id'],
    ['channelRef', 'ref'],
  ],
  replayNotices: [['fromSequence', 'sequence']],
  createTask: [
    ['bizType', 'choice'],
    ['orderNo', 'id'],
    ['channel', 'id'],
    ['outTradeNo', 'id'],
  ],
  putStock: [
    ['onHand', 'onHand'],
    ['kind', 'choice'],
    ['interfaces', 'interfaces'],
    ['interfaces.0', 'id', 'interfaces[0]'],
    ['buckets', 'buckets'],
  ],
  addCodes: [
    ['codes', 'codes'],
    ['codes.0', 'code', 'codes[0]'],
  ],
}

/** Every parameter of a query, and what must stand beside it. */
export const queryFields: {
  readonly [Id in OperationId]?: Readonly<Record<string, readonly [keyof typeof badText, Record<string, string>]>>
} = {
  getOrder: { limit: ['limit', {}], cursor: ['cursor', {}] },
  listTasks: {
    orderNo: ['id', {}],
    taskNo: ['id', { orderNo }],
    bizType: ['choice', { bizNo: 'x' }],
    bizNo: ['id', { bizType: 'DELIVER' }],
    status: ['choice', {}],
    lane: ['id', { status: 'MANUAL' }],
    channel: ['id', { status: 'MANUAL' }],
    limit: ['limit', { status: 'MANUAL' }],
    cursor: ['cursor', { status: 'MANUAL' }],
  },
}
