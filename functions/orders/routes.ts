import type { RouteSpec } from '../../modules/http-api/route-spec.ts'
import { orderRoutes } from './order-routes.ts'
import { stockRoutes } from './stock-routes.ts'
import { taskRoutes } from './task-routes.ts'

/** Every route of the API by its operation's name. */
export const routes = { ...orderRoutes, ...taskRoutes, ...stockRoutes }
export type OperationId = keyof typeof routes

/** The table as a list, for those who read all of it. */
export const routeList: readonly (RouteSpec & { readonly id: OperationId })[] = Object.keys(routes)
  .filter(isOperation)
  .map((id) => ({ ...routes[id], id }))

function isOperation(name: string): name is OperationId {
  return Object.hasOwn(routes, name)
}

/** API Gateway's name of a route. */
export const routeKeyOf = ({ method, path }: Pick<RouteSpec, 'method' | 'path'>): string => `${method} ${path}`

const idByKey: ReadonlyMap<string, OperationId> = new Map(routeList.map((route) => [routeKeyOf(route), route.id]))

export function findOperation(routeKey: string): OperationId | undefined {
  return idByKey.get(routeKey)
}
