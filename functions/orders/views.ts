import type { z } from 'zod'
import type { OrderNo } from '../../modules/core/ids.ts'
import { sortNames } from '../../modules/core/sort-names.ts'
import type {
  AttemptRow,
  CallbackRow,
  JournalRow,
  LineRow,
  OrderRow,
  PayAttemptRow,
  TaskRow,
} from '../../modules/ledger/table/rows.ts'
import {
  attemptView,
  callbackView,
  journalView,
  lineView,
  orderView,
  orderWithLinesView,
  payAttemptView,
  paymentView,
  refundView,
  taskSummaryView,
  taskView,
} from './view-schemas.ts'

/** What a row shows: the fields of its schema and no other, so that a new attribute of a row is not published by accident. */
const viewBy =
  <Schema extends z.ZodType>(schema: Schema) =>
  (row: { readonly rev: number }): z.output<Schema> =>
    schema.parse({ ...row, revision: row.rev })

export const viewPayment = viewBy(paymentView)
export const viewRefund = viewBy(refundView)
export const viewCallback: (row: CallbackRow) => z.output<typeof callbackView> = viewBy(callbackView)
const viewAttempt: (row: AttemptRow) => z.output<typeof attemptView> = viewBy(attemptView)

export function viewOrder(order: OrderRow): z.output<typeof orderView> {
  return orderView.parse(orderFields(order))
}

function orderFields(order: OrderRow) {
  const { attributes } = order
  return { ...order, revision: order.rev, ...(attributes !== undefined && { attributes: sortNames(attributes) }) }
}

export function viewLine(row: LineRow): z.output<typeof lineView> {
  return lineView.parse({ ...row, revision: row.rev, quantity: row.qty })
}

export function viewOrderWithLines(order: OrderRow, lines: readonly LineRow[]): z.output<typeof orderWithLinesView> {
  return orderWithLinesView.parse({ ...orderFields(order), lines: lines.map(viewLine) })
}

export function viewPayAttempt(orderNo: OrderNo, row: PayAttemptRow): z.output<typeof payAttemptView> {
  return payAttemptView.parse({ ...row, revision: row.rev, orderNo })
}

export function viewJournal(row: JournalRow): z.output<typeof journalView> {
  return journalView.parse({ ...row, orderRevision: row.orderRev })
}

export function viewTaskSummary(row: TaskRow): z.output<typeof taskSummaryView> {
  return taskSummaryView.parse(taskFields(row))
}

export function viewTask(row: TaskRow, attempts: readonly AttemptRow[]): z.output<typeof taskView> {
  return taskView.parse({ ...taskFields(row), attempts: attempts.map(viewAttempt) })
}

function taskFields({ requestSnapshot, resultSnapshot, ...row }: TaskRow) {
  return {
    ...row,
    revision: row.rev,
    ...(requestSnapshot !== undefined && { requestSnapshot: sortNames(requestSnapshot) }),
    ...(resultSnapshot !== undefined && { resultSnapshot: sortNames(resultSnapshot) }),
  }
}
