import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { errorAnswer } from '../../modules/http-api/error-answer.ts'
import type { OrdersEvent } from '../../modules/http-api/operation.ts'
import { type Answer, OrdersError } from '../../modules/http-api/problem.ts'
import type { OrdersDeps } from './deps.ts'
import { operations } from './operations.ts'
import { findOperation } from './routes.ts'

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
  const id = findOperation(event.routeKey)
  if (id === undefined) throw new OrdersError('ROUTE_NOT_FOUND', 'Compare method and path with docs/openapi.json.')
  return operations[id](event, deps)
}
