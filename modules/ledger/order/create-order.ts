import { bizNoOf } from '../../core/biz-no.ts'
import type { OrderNo, Sku } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Currency, MinorUnits } from '../../core/money.ts'
import type { TaskContext } from '../context.ts'
import type { OrderFile } from '../read/queries.ts'
import { moveStock } from '../stock/move-stock.ts'
import { rowIsNew } from '../table/conditions.ts'
import { journalSk, lineSk, orderKey } from '../table/keys.ts'
import { MAX_TRANSACTION_ITEMS } from '../table/limits.ts'
import type { Write } from '../table/make-write.ts'
import type { LineRow, OrderRow } from '../table/rows.ts'
import { put } from '../table/writes.ts'
import { putTask } from '../task/put-task.ts'
import { bookOrphans, noOrphanSince, wakeCallbacks } from './take-early-money.ts'

/** An order as the merchant describes it, with every default put in. */
export interface OrderContent {
  readonly orderNo: OrderNo
  readonly amount: MinorUnits
  readonly currency: Currency
  readonly lines: readonly { readonly sku: Sku; readonly qty: number }[]
  readonly closeAt: Instant
  readonly contentHash: string
  readonly attributes?: Readonly<Record<string, string>>
}

/** An order's first rows, as the table will hold them. */
export interface NewOrder {
  readonly order: OrderRow
  readonly lines: readonly LineRow[]
}

/** Where a line's goods are taken from and how they will be delivered; nothing of it for a sku that is not counted. */
export type LineStock = Pick<LineRow, 'taken' | 'interfaces'>

/**
 * The rows of an order nobody has seen yet: revision 1, waiting for payment, its lines reserved.
 * @param stock of each line, in their order
 */
export function newOrder(content: OrderContent, now: Instant, stock: readonly LineStock[] = []): NewOrder {
  const { orderNo, amount, currency, closeAt, contentHash, attributes } = content
  const { pk, sk } = orderKey(orderNo)
  const written = { v: 1, rev: 1, updatedAt: now } as const
  return {
    order: {
      pk,
      sk,
      ...written,
      et: 'ORDER',
      orderNo,
      status: 'WAIT_PAY',
      settlement: 'PENDING',
      amount,
      currency,
      contentHash,
      closeAt,
      createdAt: now,
      lines: content.lines.length,
      undelivered: content.lines.length,
      openTries: 0,
      ...(attributes !== undefined && { attributes: { ...attributes } }),
    },
    lines: content.lines.map(({ sku, qty }, index) => ({
      pk,
      sk: lineSk(index + 1),
      ...written,
      et: 'LINE',
      line: index + 1,
      sku,
      qty,
      state: 'RESERVED',
      ...stock[index],
    })),
  }
}

/**
 * Everything that an order's creation writes, as one transaction: order, lines, what they take from stock, journal, CLOSE_ORDER
 * at closeAt; and the tasks that book at once what money came before it.
 * @param before the order's collection as it was read: callbacks and orphans that waited for it
 * @param operator who the merchant's system is, for the journal
 */
export function createOrderWrites(
  { order, lines }: NewOrder,
  before: OrderFile,
  operator: string,
  context: TaskContext,
): readonly Write[] {
  const { pk, orderNo, closeAt } = order
  const bizNo = bizNoOf('CLOSE_ORDER', { orderNo })
  const writes: readonly Write[] = [
    put(order, rowIsNew),
    ...noOrphanSince(before),
    ...lines.map((line) => put(line, rowIsNew)),
    ...moveStock('reserve', lines),
    beginJournal(order, operator, context.now),
    putTask({ pk, bizType: 'CLOSE_ORDER', bizNo, orderNo, source: 'POLICY', at: closeAt }, context),
  ]
  const waiting = [...bookOrphans(order, before, context), ...wakeCallbacks(before.tasks, context)]
  // What does not fit is not lost: a parked callback has its own time, an orphan its ticket.
  return [...writes, ...waiting.slice(0, MAX_TRANSACTION_ITEMS - writes.length)]
}

function beginJournal({ pk, orderNo, rev, status, sk }: OrderRow, operator: string, at: Instant): Write {
  return put(
    {
      pk,
      sk: journalSk(rev),
      et: 'JOURNAL',
      orderNo,
      orderRev: rev,
      from: '',
      to: status,
      operatorType: 'MERCHANT',
      operator,
      reason: 'ORDER_CREATED',
      evidence: sk,
      at,
    },
    rowIsNew,
  )
}
