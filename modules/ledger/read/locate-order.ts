import type { ChannelEvent } from '../../core/channel-event.ts'
import { type OrderNo, parseOrderNo } from '../../core/ids.ts'
import type { Ledger } from '../table/client.ts'
import { orderKey, orderPk, orphanPk, outTradeNoGuard, transactionGuard } from '../table/keys.ts'
import type { GuardRow, Row } from '../table/rows.ts'
import { type Reading, readRows } from './queries.ts'

/** Where an event belongs. */
export interface Location {
  /** The collection that keeps the callback: the order's, the one it names though it is not here yet, or an orphan's. */
  readonly pk: string
  readonly orderNo?: OrderNo
  /** The guard of the event's transaction number: this very payment has been seen. */
  readonly transaction?: GuardRow
  /** The number is another order's own number, too: a person says whose money it is. */
  readonly alsoNames?: OrderNo
}

/**
 * Finds the collection of an event: a payAttempt's guard leads first, then the number itself as an order number (the default rule
 * of outTradeNo), then the guard of the transaction. One consistent BatchGetItem; a second where the numbers disagree.
 * A number that leads nowhere contradicts nothing: then the transaction's guard leads.
 * @param reading `eventual` for a first look. A payAttempt's guard never changes, so one that is seen is true, and one that is not
 * is looked for again. A transaction's guard may be missed: the booking that puts it is then refused, and looks again.
 * Source: docs/design/rules.md, A number leads to an order by its guard first
 */
export async function locateOrder(
  ledger: Ledger,
  event: ChannelEvent,
  reading: Reading = 'consistent',
): Promise<Location> {
  const { channel, outTradeNo, channelTxnId } = event
  if (reading === 'eventual' && outTradeNo === undefined) return locateOrder(ledger, event)
  const [byAttempt, byTransaction] = await readGuards(ledger, event, reading)
  if (reading === 'eventual' && byAttempt?.orderNo === undefined) return locateOrder(ledger, event)
  const transaction = byTransaction === undefined ? {} : { transaction: byTransaction }
  const named = outTradeNo === undefined ? undefined : parseOrderNo(outTradeNo)
  if (byAttempt?.orderNo !== undefined) {
    const { orderNo } = byAttempt
    const isAlsoNamed = named !== undefined && named !== orderNo && (await orderExists(ledger, named))
    return { pk: orderPk(orderNo), orderNo, ...transaction, ...(isAlsoNamed && { alsoNames: named }) }
  }
  if (byTransaction !== undefined && byTransaction.orderNo !== named) {
    const leads = named !== undefined && (await orderExists(ledger, named))
    if (!leads) return ofTransaction(byTransaction)
  }
  if (named !== undefined) return { pk: orderPk(named), orderNo: named, ...transaction }
  return { pk: orphanPk(channel, channelTxnId ?? event.eventId) }
}

function ofTransaction(guard: GuardRow): Location {
  const { collection, orderNo } = guard
  return { pk: collection, transaction: guard, ...(orderNo !== undefined && { orderNo }) }
}

async function orderExists(ledger: Ledger, orderNo: OrderNo): Promise<boolean> {
  const [row] = await readRows(ledger, [orderKey(orderNo)])
  return row !== undefined
}

async function readGuards(ledger: Ledger, { channel, outTradeNo, channelTxnId }: ChannelEvent, reading: Reading) {
  const keys = [
    ...(outTradeNo === undefined ? [] : [outTradeNoGuard(channel, outTradeNo)]),
    ...(channelTxnId === undefined ? [] : [transactionGuard(channel, channelTxnId)]),
  ]
  if (keys.length === 0) return []
  const rows = await readRows(ledger, keys, reading)
  const guards = rows.map(asGuard)
  return outTradeNo === undefined ? [undefined, guards[0]] : guards
}

function asGuard(row: Row | undefined): GuardRow | undefined {
  return row?.et === 'GUARD' ? row : undefined
}
