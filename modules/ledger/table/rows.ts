import * as z from 'zod/mini'
import { callbackRow, guardRow } from './rows/callback-rows.ts'
import { journalRow, lineRow, orderRow } from './rows/order-rows.ts'
import { payAttemptRow, paymentRow, refundRow } from './rows/payment-rows.ts'
import { codeRow, skuRow, stockRow, usedCodeRow } from './rows/stock-rows.ts'
import { attemptRow, taskRow } from './rows/task-rows.ts'

/** The schema of each type of row, by the `et` that its rows carry. */
export const schemas = {
  ORDER: orderRow,
  LINE: lineRow,
  PAYATTEMPT: payAttemptRow,
  PAYMENT: paymentRow,
  REFUND: refundRow,
  JOURNAL: journalRow,
  CALLBACK: callbackRow,
  TASK: taskRow,
  ATTEMPT: attemptRow,
  GUARD: guardRow,
  STOCK: stockRow,
  SKU: skuRow,
  CODE: codeRow,
  USED_CODE: usedCodeRow,
}

/** The type of a row, its attribute `et`. */
export type RowType = keyof typeof schemas
export type RowOf<Type extends RowType> = Type extends RowType ? z.infer<(typeof schemas)[Type]> : never
export type Row = RowOf<RowType>

export type OrderRow = RowOf<'ORDER'>
export type LineRow = RowOf<'LINE'>
export type PayAttemptRow = RowOf<'PAYATTEMPT'>
export type PaymentRow = RowOf<'PAYMENT'>
export type RefundRow = RowOf<'REFUND'>
export type JournalRow = RowOf<'JOURNAL'>
export type CallbackRow = RowOf<'CALLBACK'>
export type TaskRow = RowOf<'TASK'>
export type AttemptRow = RowOf<'ATTEMPT'>
export type GuardRow = RowOf<'GUARD'>
export type StockRow = RowOf<'STOCK'>
export type SkuRow = RowOf<'SKU'>
export type CodeRow = RowOf<'CODE'>
export type UsedCodeRow = RowOf<'USED_CODE'>

/** A row that is not of its schema: a bug or a hand in the table. Names the row and the fields, never their values. */
export class CorruptRowError extends Error {
  override readonly name = 'CorruptRowError'
  readonly code = 'CORRUPT_ROW'

  constructor(item: Record<string, unknown>, fields: string) {
    super(
      `Row ${String(item['pk'])} / ${String(item['sk'])} is not of its schema (${fields}). Compare it with docs/architecture.md.`,
    )
  }
}

const anyRow = z.discriminatedUnion('et', [
  orderRow,
  lineRow,
  payAttemptRow,
  paymentRow,
  refundRow,
  journalRow,
  callbackRow,
  taskRow,
  attemptRow,
  guardRow,
  stockRow,
  skuRow,
  codeRow,
  usedCodeRow,
])

/**
 * Reads an item as it came from the table. Types of later releases are left out by the caller ({@link isKnown}).
 * @throws CorruptRowError
 */
export function readRow(item: Record<string, unknown>): Row {
  const parsed = z.safeParse(anyRow, item)
  if (parsed.success) return parsed.data
  throw new CorruptRowError(item, parsed.error.issues.map((issue) => issue.path.join('.')).join(', '))
}

/** As {@link readRow}, of an item that can only be of one type. @throws CorruptRowError */
export function readRowOf<Type extends RowType>(type: Type, item: Record<string, unknown>): RowOf<Type> {
  const row = readRow(item)
  if (isOf(row, type)) return row
  throw new CorruptRowError(item, 'et')
}

function isOf<Type extends RowType>(row: Row, type: Type): row is Extract<RowOf<Type>, Row> {
  return row.et === type
}

/** Whether this release has a schema for the item. A newer release may have written others beside them. */
export function isKnown(item: Record<string, unknown>): boolean {
  return Object.hasOwn(schemas, String(item['et']))
}
