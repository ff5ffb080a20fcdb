import { z } from 'zod'
import { noBody, nothing, type RouteSpec } from '../../modules/http-api/route-spec.ts'
import { sku } from './schemas.ts'
import { addCodesBody, codesAddedView, putStockBody, stockView } from './stock-schemas.ts'

const stockPath = z.object({ sku })
const etag = 'The revision; send it as If-Match with the next change.'
/** Larger than the permitted number of codes, each of its characters escaped. */
const MAX_CODES_BODY_BYTES = 1024 * 1024

export const stockRoutes = {
  putStock: {
    method: 'PUT',
    path: '/stock/{sku}',
    scope: 'stock.write',
    tag: 'stock',
    summary: 'Count a sku',
    description:
      'Has the sku counted from now on, or counts it anew. A change needs the ETag of what it changes; what stands already is answered 200.',
    params: stockPath,
    query: nothing,
    body: putStockBody,
    headers: {
      'If-Match': 'The ETag of the stock as it was read, or *. Needed for a change.',
      'If-None-Match': '* for a sku that must not be counted yet.',
    },
    answers: {
      200: { description: 'The stock as it stands now.', schema: stockView, headers: { etag } },
      201: { description: 'The sku is counted from now on.', schema: stockView, headers: { etag } },
    },
    problems: ['STOCK_CHANGED', 'STOCK_BELOW_TAKEN', 'STOCK_KIND_DIFFERS'],
  },
  getStock: {
    method: 'GET',
    path: '/stock/{sku}',
    scope: 'stock.read',
    tag: 'stock',
    summary: 'Read what is there of a sku',
    description: 'Sums over all buckets at one moment.',
    params: stockPath,
    query: nothing,
    body: noBody,
    answers: { 200: { description: 'The stock.', schema: stockView, headers: { etag } } },
    problems: ['STOCK_NOT_FOUND'],
  },
  addCodes: {
    method: 'POST',
    path: '/stock/{sku}/codes',
    scope: 'stock.write',
    tag: 'stock',
    summary: 'Take in codes',
    description: 'Each code is taken in once for ever; send the same request again after any failure.',
    params: stockPath,
    query: nothing,
    body: addCodesBody,
    maxBodyBytes: MAX_CODES_BODY_BYTES,
    answers: { 200: { description: 'How many were new.', schema: codesAddedView } },
    problems: ['STOCK_NOT_FOUND', 'STOCK_KIND_DIFFERS', 'CODE_UNREADABLE'],
  },
} as const satisfies Record<string, RouteSpec>
