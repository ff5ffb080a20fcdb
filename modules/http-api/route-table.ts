import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { ApiEvent, Operation } from './operation.ts'
import { type Answer, ProblemError } from './problem.ts'
import type { RouteSpec } from './route-spec.ts'

/** A function's routes by the names of their operations, and who carries each out. */
export interface RouteTable<Id extends string, Deps> {
  readonly routes: Readonly<Record<Id, RouteSpec>>
  readonly operations: Readonly<Record<Id, Operation<Deps>>>
}

/** A table of routes as a list, for those who read all of it: gateway, document, tests. */
export function listRoutes<Id extends string>(
  routes: Readonly<Record<Id, RouteSpec>>,
): readonly (RouteSpec & { readonly id: Id })[] {
  const isId = (name: string): name is Id => Object.hasOwn(routes, name)
  return Object.keys(routes)
    .filter(isId)
    .map((id) => ({ ...routes[id], id }))
}

/** API Gateway's name of a route. */
export const routeKeyOf = ({ method, path }: Pick<RouteSpec, 'method' | 'path'>): string => `${method} ${path}`

/**
 * Finds the operation of an event and carries it out.
 * @throws ProblemError ROUTE_NOT_FOUND, and what the operation throws: `toProblem` turns it into an answer
 */
export function openRouter<Id extends string, Deps>(
  { routes, operations }: RouteTable<Id, Deps>,
  deps: Deps,
): (event: ApiEvent) => Promise<APIGatewayProxyStructuredResultV2> {
  const byKey = new Map(listRoutes(routes).map((route) => [routeKeyOf(route), operations[route.id]]))
  return async (event) => {
    const run = byKey.get(event.routeKey)
    if (run === undefined) throw new ProblemError('ROUTE_NOT_FOUND', 'Compare method and path with docs/openapi.json.')
    return toHttp(await run(event, deps))
  }
}

/** An answer in API Gateway's form. Nothing that a route answers is kept by anybody on the way. */
export function toHttp({ status, headers, body }: Answer): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  }
}
