import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { z } from 'zod'
import { addChannelRef } from './add-channel-ref.ts'
import { addCodes } from './add-codes.ts'
import type { OrdersDeps } from './deps.ts'
import { errorAnswer } from './error-answer.ts'
import { getCodes } from './get-codes.ts'
import { getOrder } from './get-order.ts'
import { getStock } from './get-stock.ts'
import { type Answer, OrdersError } from './problem.ts'
import { putOrder } from './put-order.ts'
import { putStock } from './put-stock.ts'
import { readInput } from './read-input.ts'
import { readJson } from './read-json.ts'
import {
  addChannelRefBody,
  getOrderQuery,
  orderNo,
  outTradeNo,
  putOrderBody,
  sku,
  startPaymentBody,
} from './schemas.ts'
import { startPayment } from './start-payment.ts'
import { addCodesBody, putStockBody } from './stock-schemas.ts'

/** What the routes read of API Gateway's event, payload format 2.0. */
export type OrdersEvent = Pick<
  APIGatewayProxyEventV2,
  'routeKey' | 'pathParameters' | 'queryStringParameters' | 'body' | 'isBase64Encoded'
> & {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly requestContext: {
    readonly requestId: string
    readonly authorizer?: { readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> } }
  }
}

const orderPath = z.object({ orderNo })
const paymentPath = z.object({ orderNo, outTradeNo })
const stockPath = z.object({ sku })
/** Larger than the permitted number of codes, each of its characters escaped. */
const MAX_CODES_BODY_BYTES = 1024 * 1024

/** Answers one request; nothing that can happen is thrown. */
export async function route(event: OrdersEvent, deps: OrdersDeps): Promise<APIGatewayProxyStructuredResultV2> {
  const { requestId } = event.requestContext
  const answer = await dispatch(event, deps).catch((error: unknown) => errorAnswer(error, requestId))
  return {
    statusCode: answer.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...answer.headers },
    body: JSON.stringify(answer.body),
  }
}

async function dispatch(event: OrdersEvent, deps: OrdersDeps): Promise<Answer> {
  switch (event.routeKey) {
    case 'PUT /orders/{orderNo}': {
      const path = readInput(orderPath, event.pathParameters ?? {})
      return putOrder(deps, path.orderNo, readInput(putOrderBody, bodyOf(event)), callerOf(event))
    }
    case 'GET /orders/{orderNo}': {
      const path = readInput(orderPath, event.pathParameters ?? {})
      return getOrder(deps, path.orderNo, readInput(getOrderQuery, event.queryStringParameters ?? {}))
    }
    case 'POST /orders/{orderNo}/payments': {
      const path = readInput(orderPath, event.pathParameters ?? {})
      return startPayment(deps, path.orderNo, readInput(startPaymentBody, bodyOf(event)), callerOf(event))
    }
    case 'PATCH /orders/{orderNo}/payments/{outTradeNo}': {
      const path = readInput(paymentPath, event.pathParameters ?? {})
      return addChannelRef(deps, path.orderNo, path.outTradeNo, readInput(addChannelRefBody, bodyOf(event)))
    }
    case 'GET /orders/{orderNo}/codes': {
      const path = readInput(orderPath, event.pathParameters ?? {})
      return getCodes(deps, path.orderNo)
    }
    case 'PUT /stock/{sku}': {
      const path = readInput(stockPath, event.pathParameters ?? {})
      const seen = { ifMatch: event.headers?.['if-match'], ifNoneMatch: event.headers?.['if-none-match'] }
      return putStock(deps, path.sku, readInput(putStockBody, bodyOf(event)), seen)
    }
    case 'GET /stock/{sku}': {
      const path = readInput(stockPath, event.pathParameters ?? {})
      return getStock(deps, path.sku)
    }
    case 'POST /stock/{sku}/codes': {
      const path = readInput(stockPath, event.pathParameters ?? {})
      return addCodes(deps, path.sku, readInput(addCodesBody, bodyOf(event, MAX_CODES_BODY_BYTES)))
    }
    default:
      throw new OrdersError('ROUTE_NOT_FOUND', 'Compare method and path with docs/guide.md.')
  }
}

function bodyOf({ body, isBase64Encoded }: OrdersEvent, maxBytes?: number) {
  return readJson(body, isBase64Encoded, maxBytes)
}

/** The client that API Gateway's authorizer let in, for the journal. */
function callerOf({ requestContext }: OrdersEvent): string {
  const claims = requestContext.authorizer?.jwt?.claims ?? {}
  return String(claims['client_id'] ?? claims['sub'] ?? 'merchant')
}
