import { listRoutes } from '../../modules/http-api/route-table.ts'
import { orderRoutes } from './order-routes.ts'
import { stockRoutes } from './stock-routes.ts'
import { taskRoutes } from './task-routes.ts'

/** Every route of the API by its operation's name. */
export const routes = { ...orderRoutes, ...taskRoutes, ...stockRoutes }
export type OperationId = keyof typeof routes

/** The table as a list, for those who read all of it. */
export const routeList = listRoutes<OperationId>(routes)
