import { CodeUnreadableError } from '../../modules/codes/errors.ts'
import { type Operation, operation } from '../../modules/http-api/operation.ts'
import { ProblemError } from '../../modules/http-api/problem.ts'
import type { RouteTable } from '../../modules/http-api/route-table.ts'
import type { ErrorWords } from '../../modules/http-api/to-problem.ts'
import { addChannelRef } from './add-channel-ref.ts'
import { addCodes } from './add-codes.ts'
import { closeOrder } from './close-order.ts'
import { createTask } from './create-task.ts'
import type { OrdersDeps } from './deps.ts'
import { getCodes } from './get-codes.ts'
import { getOrder } from './get-order.ts'
import { getStock } from './get-stock.ts'
import { listTasks } from './list-tasks.ts'
import { putOrder } from './put-order.ts'
import { putStock } from './put-stock.ts'
import { refreshOrder } from './refresh-order.ts'
import { replayNotices } from './replay-notices.ts'
import { type OperationId, routes } from './routes.ts'
import { startPayAttempt } from './start-pay-attempt.ts'

/** Who carries out each operation of the route table. */
const operations: { readonly [Id in OperationId]: Operation<OrdersDeps> } = {
  putOrder: operation(routes.putOrder, (deps, { params, body, caller }) =>
    putOrder(deps, params.orderNo, body, caller),
  ),
  getOrder: operation(routes.getOrder, (deps, { params, query }) => getOrder(deps, params.orderNo, query)),
  startPayAttempt: operation(routes.startPayAttempt, (deps, { params, body, caller }) =>
    startPayAttempt(deps, params.orderNo, body, caller),
  ),
  addChannelRef: operation(routes.addChannelRef, (deps, { params, body }) =>
    addChannelRef(deps, params.orderNo, params.outTradeNo, body),
  ),
  closeOrder: operation(routes.closeOrder, (deps, { params, caller }) => closeOrder(deps, params.orderNo, caller)),
  refreshOrder: operation(routes.refreshOrder, (deps, { params, caller }) =>
    refreshOrder(deps, params.orderNo, caller),
  ),
  replayNotices: operation(routes.replayNotices, (deps, { params, body, caller }) =>
    replayNotices(deps, params.orderNo, body, caller),
  ),
  getCodes: operation(routes.getCodes, (deps, { params }) => getCodes(deps, params.orderNo)),
  listTasks: operation(routes.listTasks, (deps, { query }) => listTasks(deps, query)),
  createTask: operation(routes.createTask, (deps, { body, caller }) => createTask(deps, body, caller)),
  putStock: operation(routes.putStock, (deps, { params, body, header }) =>
    putStock(deps, params.sku, body, { ifMatch: header('if-match'), ifNoneMatch: header('if-none-match') }),
  ),
  getStock: operation(routes.getStock, (deps, { params }) => getStock(deps, params.sku)),
  addCodes: operation(routes.addCodes, (deps, { params, body }) => addCodes(deps, params.sku, body)),
}

/** What the function answers, and who carries it out. */
export const ordersTable: RouteTable<OperationId, OrdersDeps> = { routes, operations }

export const ordersWords: ErrorWords = {
  functionName: 'orders',
  refusalOf: (error) =>
    error instanceof CodeUnreadableError ? new ProblemError('CODE_UNREADABLE', error.message) : undefined,
}
