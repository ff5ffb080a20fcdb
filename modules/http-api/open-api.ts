import type { MiddlewareObj, MiddyfiedHandler } from '@middy/core'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { openFrame } from '../runtime/frame/open-frame.ts'
import type { ApiEvent } from './operation.ts'
import { problemAnswer } from './problem.ts'
import { openRouter, type RouteTable, toHttp } from './route-table.ts'
import { type ErrorWords, toProblem } from './to-problem.ts'

/** The handler of a function that answers HTTP: its routes, and Problem Details for whatever they throw. */
export function openApi<Id extends string, Deps>(
  table: RouteTable<Id, Deps>,
  deps: Deps,
  words: ErrorWords,
): MiddyfiedHandler<ApiEvent, APIGatewayProxyStructuredResultV2> {
  return openFrame<ApiEvent, APIGatewayProxyStructuredResultV2>()
    .use(answerProblems(words))
    .handler(openRouter(table, deps))
}

function answerProblems(words: ErrorWords): MiddlewareObj<ApiEvent, APIGatewayProxyStructuredResultV2> {
  return {
    onError: ({ error, event }) => toHttp(problemAnswer(toProblem(error, event.requestContext.requestId, words))),
  }
}
