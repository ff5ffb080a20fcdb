import type { OrderNo, Sku } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { Currency, MinorUnits } from '../../core/money.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import type { OrderFile } from '../read/queries.ts'
import { moveStock } from '../stock/move-stock.ts'
import { revIs, rowIsNew } from '../table/conditions.ts'
import { journalSk, lineSk, ORPHANS_SK, orderKey } from '../table/keys.ts'
import { MAX_TRANSACTION_ITEMS } from '../table/limits.ts'
import type { LineRow, OrderRow, TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { parkTask } from '../task/move-task.ts'
import { putTask } from '../task/put-task.ts'
import { requeueWrites } from '../task/requeue-task.ts'

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
 * Source: docs/design/flows.md, Order and stock
 */
export function createOrderWrites(
  { order, lines }: NewOrder,
  before: OrderFile,
  operator: string,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const { pk, orderNo } = order
  const writes: readonly Write[] = [
    { op: 'put', when: rowIsNew, item: order },
    ...noOrphanSince(before),
    ...lines.map((line): Write => ({ op: 'put', when: rowIsNew, item: line })),
    ...moveStock('reserve', lines),
    {
      op: 'put',
      when: rowIsNew,
      item: {
        pk,
        sk: journalSk(order.rev),
        et: 'JOURNAL',
        orderNo,
        orderRev: order.rev,
        from: '',
        to: order.status,
        operatorType: 'MERCHANT',
        operator,
        reason: 'ORDER_CREATED',
        evidence: order.sk,
        at: now,
      },
    },
    putTask(
      { pk, bizType: 'CLOSE_ORDER', bizNo: orderNo, orderNo, source: 'POLICY', at: order.closeAt },
      overrides,
      now,
    ),
  ]
  const waiting = [...bookOrphans(order, before, overrides, now), ...wakeCallbacks(before.tasks, overrides, now)]
  // What does not fit is not lost: a parked callback has its own time, an orphan its ticket.
  return [...writes, ...waiting.slice(0, MAX_TRANSACTION_ITEMS - writes.length)]
}

/**
 * Money that was recorded as an orphan after the file was read must be seen: the order looks again. An orphan's callback has stood
 * in the file for its whole ladder before, so a file without one needs no check. Orphans of before, that another order has taken
 * since, are in nobody's way.
 */
function noOrphanSince({ pk, callbacks, orphansRev }: OrderFile): readonly Write[] {
  if (callbacks.length === 0) return []
  const when = orphansRev === undefined ? rowIsNew : revIs(orphansRev)
  return [{ op: 'check', key: { pk, sk: ORPHANS_SK }, when }]
}

/**
 * An orphan's callback is booked again, now that its order is here. The first task of this callback has ended. One that looks
 * parked was read before its payment became an orphan: a Query is no snapshot.
 */
function bookOrphans(order: OrderRow, before: OrderFile, overrides: PolicyOverrides, now: Instant): readonly Write[] {
  const channels = new Set(before.payments.filter(({ role }) => role === 'ORPHAN').map(({ channel }) => channel))
  const callbacks = before.callbacks.filter(
    ({ verdict, channel }) => (verdict === 'orphan' || verdict === 'parked') && channels.has(channel),
  )
  // One event may be kept twice, from two bodies; one task books it.
  const byEvent = new Map(callbacks.map((callback) => [`${callback.channel}/${callback.eventId}`, callback]))
  return [...byEvent].map(([event, { sk, channel, eventId }]) =>
    putTask(
      {
        pk: order.pk,
        bizType: 'SETTLE_CALLBACK',
        bizNo: `${event}/put`,
        orderNo: order.orderNo,
        channel,
        source: 'CALLBACK',
        at: now,
        requestSnapshot: { callback: sk, eventId, why: 'ORDER_ARRIVED' },
      },
      overrides,
      now,
    ),
  )
}

/**
 * A callback that waits for the order on its ladder is booked at once, and so is one that nobody could book without it and
 * that a person has (a hint); one in work finds the order by itself.
 */
function wakeCallbacks(tasks: readonly TaskRow[], overrides: PolicyOverrides, now: Instant): readonly Write[] {
  return tasks
    .filter(({ bizType }) => bizType === 'SETTLE_CALLBACK')
    .flatMap((task): readonly Write[] => {
      if (task.status === 'WAITING' || task.status === 'RETRY')
        return [parkTask(task, wakeTime(task, now), 'ORDER_ARRIVED', now)]
      if (task.status !== 'MANUAL') return []
      // The ticket's own trigger finds no ticket and ends by itself: two optional writes could go apart.
      return requeueWrites(task, { at: now, by: 'ORDER_ARRIVED' }, overrides, now)
    })
    .map((write) => ({ ...write, optional: true }))
}

/** A trigger is sent only when `wake` changes. Source: docs/design/task-times.md */
function wakeTime(task: TaskRow, now: Instant): Instant {
  return task.wake === now ? plusMs(now, 1) : now
}
