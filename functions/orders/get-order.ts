import type { z } from 'zod'
import type { OrderNo } from '../../modules/core/ids.ts'
import { readCursor, writeCursor } from '../../modules/http-api/cursor.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { type OrderPage, readOrderPage } from '../../modules/ledger/read/read-order-page.ts'
import type { OrderRow, Row } from '../../modules/ledger/table/rows.ts'
import type { OrdersDeps } from './deps.ts'
import type { getOrderQuery } from './schemas.ts'
import type { orderFileView } from './view-schemas.ts'
import {
  viewCallback,
  viewJournal,
  viewLine,
  viewOrder,
  viewPayAttempt,
  viewPayment,
  viewRefund,
  viewTask,
} from './views.ts'

/**
 * The order's whole file, or one page of it: each row on one page, the order itself on all of them.
 * @throws ProblemError ORDER_NOT_FOUND; VALIDATION_FAILED for a cursor of other origin
 */
export async function getOrder(
  { ledger }: Pick<OrdersDeps, 'ledger'>,
  orderNo: OrderNo,
  { limit, cursor }: z.output<typeof getOrderQuery>,
): Promise<Answer> {
  const after = cursor === undefined ? undefined : readCursor(orderNo, cursor)
  const page = await readOrderPage(ledger, orderNo, { after, limit })
  if (page.order === undefined) {
    throw new ProblemError('ORDER_NOT_FOUND', `No order ${orderNo} was created. Callbacks alone do not make one.`)
  }
  return { status: 200, body: viewFile(page.order, page) }
}

function viewFile(order: OrderRow, { rows, attempts, next }: OrderPage): z.output<typeof orderFileView> {
  const of = <Type extends Row['et']>(type: Type) =>
    rows.filter((row): row is Extract<Row, { et: Type }> => row.et === type)
  const attemptsOf = Map.groupBy(attempts, ({ taskNo }) => taskNo)
  return {
    order: viewOrder(order),
    lines: of('LINE').map(viewLine),
    payAttempts: of('PAYATTEMPT').map((row) => viewPayAttempt(order.orderNo, row)),
    // A payment whose undoing alone was heard is none yet.
    payments: of('PAYMENT')
      .filter(({ role }) => role !== 'AWAITED')
      .map(viewPayment),
    refunds: of('REFUND').map(viewRefund),
    journal: of('JOURNAL').map(viewJournal),
    callbacks: of('CALLBACK').map(viewCallback),
    tasks: of('TASK').map((task) => viewTask(task, attemptsOf.get(task.taskNo) ?? [])),
    ...(next !== undefined && { nextCursor: writeCursor(order.orderNo, next) }),
  }
}
