import type { Unreadable } from '../channels/channel.ts'
import type { ChannelId } from '../core/ids.ts'
import { type CallbackRecord, recordCallback, setVerdict } from '../ledger/callback/record-callback.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { touchOrder } from '../ledger/order/touch-order.ts'
import { type Location, locateOrder } from '../ledger/read/locate-order.ts'
import { readCollection } from '../ledger/read/queries.ts'
import { orphanPk } from '../ledger/table/keys.ts'
import { raiseTicket } from '../ledger/ticket/raise-ticket.ts'
import { addLogFields } from '../runtime/telemetry/log.ts'
import { logAndCount } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, resultOf } from './booked.ts'
import { mustBeTaken } from './park-callback.ts'

/**
 * Keeps a verified callback that no parser can read, with one ticket a payment (or field) that names the field. Where a number of it
 * is readable the ticket stands in that order's file, and the order does not close over money that nobody has read.
 * @throws CallbackNotTakenError
 */
export async function keepUnreadable(deps: BookDeps, record: CallbackRecord, unread: Unreadable): Promise<void> {
  const location = await locate(deps, record.channel, unread)
  addLogFields({ orderNo: location.orderNo })
  const { channel, eventId } = record
  const kept = await recordCallback(deps.ledger, location.pk, record, deps.now())
  if (kept.verdict !== 'received' && kept.verdict !== 'parked') return
  let isNew = false
  const booked = decideAndCommit<BookResult>(deps, async ({ now }) => {
    const ticketPk = hasNumber(unread) ? location.pk : orphanPk(channel, `unreadable/${unread.field}`)
    const { order, tasks } = await readCollection(deps.ledger, ticketPk)
    const fact = { ...factOf(location, kept.sk, channel, unread), pk: ticketPk }
    const raised = raiseTicket(tasks, fact, { ...deps, now })
    isNew = raised.isNew
    const held = unread.isMoney === true && order !== undefined ? [touchOrder(order)] : []
    const verdict = setVerdict({ pk: location.pk, sk: kept.sk }, 'unreadable')
    return { kind: 'commit', writes: [...raised.writes, ...held, verdict], value: BOOKED }
  })
  await mustBeTaken(booked.then(resultOf))
  const message = 'A verified callback is unreadable; a ticket names the field.'
  logAndCount('WARN', message, isNew ? ['TicketsOpened'] : [], { channel, eventId, field: unread.field })
}

const BOOKED: BookResult = { kind: 'booked', verdict: 'unreadable' }

const hasNumber = ({ outTradeNo, channelTxnId }: Unreadable): boolean =>
  outTradeNo !== undefined || channelTxnId !== undefined

/** By what could be read; notices with no number share a ticket by their field, and each is kept by itself. */
async function locate({ ledger }: BookDeps, channel: ChannelId, unread: Unreadable): Promise<Location> {
  const { eventId, outTradeNo, channelTxnId } = unread
  if (!hasNumber(unread)) return { pk: orphanPk(channel, eventId) }
  return locateOrder(ledger, {
    channel,
    eventId,
    kind: 'other',
    trust: 'fact',
    ...(outTradeNo !== undefined && { outTradeNo }),
    ...(channelTxnId !== undefined && { channelTxnId }),
  })
}

function factOf({ pk, orderNo }: Location, callback: string, channel: ChannelId, unread: Unreadable) {
  const { field, problem, channelTxnId, outTradeNo, isMoney = false } = unread
  return {
    pk,
    orderNo,
    kind: 'unreadable',
    channel,
    id: channelTxnId ?? field,
    reason: 'CALLBACK_UNREADABLE',
    message: `The field '${field}' ${problem}.`,
    evidence: callback,
    details: { callback, collection: pk, field, channelTxnId, outTradeNo, isMoney },
  }
}
