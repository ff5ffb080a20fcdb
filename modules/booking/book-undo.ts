import { nothingTold } from '../core/balance.ts'
import type { ChannelEvent, Undo } from '../core/channel-event.ts'
import { decideUndo, type UndoFile, type UndoNews } from '../core/decide-undo.ts'
import type { ChannelTxnId } from '../core/ids.ts'
import type { Currency } from '../core/money.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import type { TaskContext } from '../ledger/context.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { awaitPayment } from '../ledger/payment/await-payment.ts'
import { moneyOf } from '../ledger/payment/payment-figures.ts'
import { undoWrites } from '../ledger/payment/undo-writes.ts'
import { locateOrder } from '../ledger/read/locate-order.ts'
import { type OrderFile, readCollection } from '../ledger/read/queries.ts'
import { paymentSk } from '../ledger/table/keys.ts'
import type { Write } from '../ledger/table/make-write.ts'
import type { PaymentRow } from '../ledger/table/rows.ts'
import { raiseTicket } from '../ledger/ticket/raise-ticket.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, causeOf, type EventToBook, resultOf } from './booked.ts'

/** A fact that money of a transaction went back, is disputed, or is void. */
export type UndoEvent = ChannelEvent & {
  readonly undo: Undo
  readonly channelTxnId: ChannelTxnId
  readonly trust: 'fact'
}

export function isUndo(event: ChannelEvent): event is UndoEvent {
  return event.undo !== undefined && event.channelTxnId !== undefined && event.trust === 'fact'
}

type UndoToBook = EventToBook & { readonly event: UndoEvent }

interface Planned {
  readonly writes: readonly Write[]
  readonly opened: number
}

/**
 * Takes in that money was undone, in whatever order it is heard: at its payment, or at a row that the payment takes over when it
 * comes. What is not delivered stops in the same transaction. Source: docs/design/money-back.md, Undone money
 */
export async function bookUndo(deps: BookDeps, first: UndoToBook): Promise<BookResult> {
  let opened = 0
  let isNews = false
  const decided = await decideAndCommit<BookResult>(deps, async ({ now, number }) => {
    const location = number === 0 ? first.location : await locateOrder(deps.ledger, first.event)
    const input = { ...first, location }
    const plan = await planUndo(deps, input, { ...deps, now })
    opened = plan.opened
    isNews = plan.writes.length > 0
    const writes = [...plan.writes, setVerdict(input.evidence, 'recorded')]
    return { kind: 'commit', writes, value: { kind: 'booked', verdict: 'recorded' } }
  })
  const result = resultOf(decided)
  if (result.kind === 'booked') {
    // Told again, it is no more money.
    if (isNews) emitMetric('MoneyUndone')
    for (let ticket = 0; ticket < opened; ticket++) emitMetric('TicketsOpened')
  }
  return result
}

async function planUndo({ ledger }: BookDeps, input: UndoToBook, context: TaskContext): Promise<Planned> {
  const { location, event } = input
  const home = await readCollection(ledger, location.transaction?.collection ?? location.pk)
  const sk = paymentSk(event.channel, event.channelTxnId)
  const payment = home.payments.find((row) => row.sk === sk)
  if (payment === undefined) return hearFirst(home, input, context)
  const news = newsOf(event, payment.currency)
  const undone = { file: home, payment, news, cause: causeOf(input, 'MONEY_UNDONE') }
  const decision = decideUndo(fileOf(home, payment), news, context.now)
  return decision.kind === 'nothing' ? { writes: [], opened: 0 } : undoWrites(undone, decision, context)
}

function fileOf({ order, refunds }: OrderFile, payment: PaymentRow): UndoFile {
  const money = moneyOf(payment, refunds)
  return order === undefined
    ? { payment: money }
    : { payment: money, order: { status: order.status, undelivered: order.undelivered } }
}

/** Figures in another currency say that money went back, and not how much of ours. */
function newsOf({ kind, undo }: UndoEvent, currency: Currency): UndoNews {
  const cause = kind === 'dispute' ? 'DISPUTE' : 'EXTERNAL'
  const isForeign = undo.money !== undefined && undo.money.currency !== currency
  return isForeign ? { ...undo, cause, form: 'amountUnknown' } : { ...undo, cause }
}

/** Nothing is known of the payment yet. */
function hearFirst(file: OrderFile, input: UndoToBook, context: TaskContext): Planned {
  const { event, location, evidence } = input
  const { channel, channelTxnId, outTradeNo } = event
  const currency = (event.undo.money ?? event.money)?.currency ?? file.order?.currency
  if (currency === undefined) return askPerson(file, input, context)
  const news = newsOf(event, currency)
  const nobody: UndoFile = {
    payment: { role: 'AWAITED', paid: 0, tellings: nothingTold, movements: [], amountUnknown: false },
  }
  const decision = decideUndo(nobody, news, context.now)
  if (decision.kind === 'nothing') return { writes: [], opened: 0 }
  const { tellings, row, amountUnknown } = decision
  const awaited = { location, channel, channelTxnId, outTradeNo, currency, news, tellings, row, amountUnknown }
  return { writes: awaitPayment({ ...awaited, evidence: evidence.sk }, context), opened: 0 }
}

/** Money of a payment that nobody told, in a currency that nobody named: a row of it would be a guess. */
function askPerson(file: OrderFile, input: UndoToBook, context: TaskContext): Planned {
  const { event, location, evidence } = input
  const { channel, channelTxnId, undo } = event
  const fact = { pk: location.pk, orderNo: location.orderNo, channel, id: channelTxnId, evidence: evidence.sk }
  const details = { channelTxnId, form: undo.form, state: undo.state }
  const raised = raiseTicket(
    file.tasks,
    { ...fact, kind: 'undone', reason: 'UNDONE_WITHOUT_PAYMENT', details },
    context,
  )
  return { writes: raised.writes, opened: raised.isNew ? 1 : 0 }
}
