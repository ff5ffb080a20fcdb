import type { ChannelEvent } from '../../core/channel-event.ts'
import { type OrderNo, parseOrderNo } from '../../core/ids.ts'
import type { Ledger } from '../table/client.ts'
import { orderPk, orphanPk, outTradeNoGuard, transactionGuard } from '../table/keys.ts'
import type { GuardRow, Row } from '../table/rows.ts'
import { type Reading, readRows } from './queries.ts'

/** Where an event belongs. */
export interface Location {
  /** The collection that keeps the callback: the order's, the one it names though it is not here yet, or an orphan's. */
  readonly pk: string
  readonly orderNo?: OrderNo
  /** The guard of the event's transaction number: this very payment has been seen. */
  readonly transaction?: GuardRow
}

/**
 * Finds the collection of an event in one consistent BatchGetItem: the payAttempt's guard leads, else the number itself is
 * taken for an order number (the default rule of outTradeNo), else the guard of the transaction.
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
  const orderNo = byAttempt?.orderNo ?? (outTradeNo === undefined ? byTransaction?.orderNo : parseOrderNo(outTradeNo))
  if (orderNo !== undefined) return { pk: orderPk(orderNo), orderNo, ...transaction }
  return { pk: byTransaction?.collection ?? orphanPk(channel, channelTxnId ?? event.eventId), ...transaction }
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
