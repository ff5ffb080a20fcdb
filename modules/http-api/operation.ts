import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { z } from 'zod'
import { knownNames } from './known-names.ts'
import type { Answer } from './problem.ts'
import { readInput } from './read-input.ts'
import { readJson } from './read-json.ts'
import { noBody, type RouteSpec } from './route-spec.ts'

/** What the routes read of API Gateway's event, payload format 2.0. */
export type ApiEvent = Pick<
  APIGatewayProxyEventV2,
  'routeKey' | 'pathParameters' | 'queryStringParameters' | 'body' | 'isBase64Encoded'
> & {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly requestContext: {
    readonly requestId: string
    readonly authorizer?: { readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> } }
  }
}

/** What a handler gets: each part of the request as the route's schema read it. */
export interface InputOf<Spec extends RouteSpec> {
  readonly params: z.output<Spec['params']>
  readonly query: z.output<Spec['query']>
  readonly body: z.output<Spec['body']>
  /** The client that API Gateway's authorizer let in, for the journal. */
  readonly caller: string
  /** Of a request header, its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** @typeParam Deps what the function's own routes need; this module knows nothing of it */
export type Operation<Deps> = (event: ApiEvent, deps: Deps) => Promise<Answer>

/** A route with who carries it out. Nothing reaches `run` that the route's schemas do not let through. */
export function operation<Deps, Spec extends RouteSpec>(
  spec: Spec,
  run: (deps: Deps, input: InputOf<Spec>) => Promise<Answer>,
): Operation<Deps> {
  return async (event, deps) => {
    const sent =
      spec.body === noBody
        ? undefined
        : readJson(event.body, event.isBase64Encoded, {
            names: () => knownNames(spec.body),
            ...(spec.maxBodyBytes !== undefined && { maxBytes: spec.maxBodyBytes }),
          })
    return run(deps, {
      params: readInput<Spec['params']>(spec.params, event.pathParameters ?? {}),
      query: readInput<Spec['query']>(spec.query, event.queryStringParameters ?? {}),
      body: readInput<Spec['body']>(spec.body, sent),
      caller: callerOf(event),
      header: (name) => event.headers?.[name],
    })
  }
}

function callerOf({ requestContext }: ApiEvent): string {
  const claims = requestContext.authorizer?.jwt?.claims ?? {}
  return String(claims['client_id'] ?? claims['sub'] ?? 'merchant')
}
