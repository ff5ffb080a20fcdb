import type { ChannelEvent } from '../core/channel-event.ts'
import { type OrderNo, parseOrderNo } from '../core/ids.ts'
import type { Ledger } from './client.ts'
import { orderPk, orphanPk, outTradeNoGuard, transactionGuard } from './keys.ts'
import { readRows } from './queries.ts'
import type { GuardRow, Row } from './rows.ts'

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
 * Source: design.md 4a
 */
export async function locateOrder(ledger: Ledger, event: ChannelEvent): Promise<Location> {
  const { channel, outTradeNo, channelTxnId } = event
  const [byAttempt, byTransaction] = await readGuards(ledger, event)
  const transaction = byTransaction === undefined ? {} : { transaction: byTransaction }
  const orderNo = byAttempt?.orderNo ?? (outTradeNo === undefined ? byTransaction?.orderNo : parseOrderNo(outTradeNo))
  if (orderNo !== undefined) return { pk: orderPk(orderNo), orderNo, ...transaction }
  return { pk: byTransaction?.collection ?? orphanPk(channel, channelTxnId ?? event.eventId), ...transaction }
}

async function readGuards(ledger: Ledger, { channel, outTradeNo, channelTxnId }: ChannelEvent) {
  const keys = [
    ...(outTradeNo === undefined ? [] : [outTradeNoGuard(channel, outTradeNo)]),
    ...(channelTxnId === undefined ? [] : [transactionGuard(channel, channelTxnId)]),
  ]
  if (keys.length === 0) return []
  const rows = await readRows(ledger, keys)
  const guards = rows.map(asGuard)
  return outTradeNo === undefined ? [undefined, guards[0]] : guards
}

function asGuard(row: Row | undefined): GuardRow | undefined {
  return row?.et === 'GUARD' ? row : undefined
}
