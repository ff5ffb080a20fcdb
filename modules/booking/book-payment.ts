import { type BookingDecision, type BookingFile, decideBooking, type PaymentEvent } from '../core/decide-booking.ts'
import type { Verdict } from '../core/verdict.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { type WriteContext, writeContext } from '../ledger/context.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { conflictWrites } from '../ledger/order/freeze-conflict.ts'
import { type BookingContext, bookingWrites } from '../ledger/payment/book-payment-writes.ts'
import { locateOrder } from '../ledger/read/locate-order.ts'
import { type OrderFile, type Reading, readCollection } from '../ledger/read/queries.ts'
import { commit } from '../ledger/table/commit.ts'
import { orderPk, paymentSk } from '../ledger/table/keys.ts'
import type { Write } from '../ledger/table/make-write.ts'
import type { OrderRow, PaymentRow } from '../ledger/table/rows.ts'
import { type BookDeps, type BookResult, causeOf, type EventToBook, resultOf } from './booked.ts'

type PaymentToBook = EventToBook & { readonly event: PaymentEvent }

/** Decides one payment against its order and commits what follows. */
export async function bookPayment(deps: BookDeps, first: PaymentToBook): Promise<BookResult> {
  const decided = await decideAndCommit<BookResult>(deps, async ({ now, number }) => {
    // After a lost race, the guard of this very transaction may stand in another order's collection.
    const location = number === 0 ? first.location : await locateOrder(deps.ledger, first.event)
    const input = { ...first, location }
    const seen = await look(deps, input)
    const decision = decideBooking(seen.facts, input.event)
    if (decision.kind === 'orderUnknown') return { kind: 'answer', value: { kind: 'orderUnknown' } }
    // An orphan's callback stays one, so that its order finds it when it comes.
    const again = seen.payment?.role === 'ORPHAN' ? 'orphan' : 'duplicate'
    const verdict = decision.kind === 'duplicate' ? again : verdictOf(decision)
    const booked = decision.kind === 'duplicate' ? [] : writesOf({ ...deps, now }, input, seen, decision)
    return {
      kind: 'commit',
      writes: [...booked, setVerdict(input.evidence, verdict)],
      value: { kind: 'booked', verdict },
    }
  })
  return resultOf(decided)
}

/**
 * The common case in one transaction with the callback itself: bytes that nobody has kept yet pay an order that waits for them.
 * @param keep puts the callback with its verdict
 * It rests on revisions, so a file that a replica has not heard the last of is refused in the end and costs half.
 * @returns `undefined` in every other case, with nothing written: the callback is kept first, and then booked
 */
export async function bookAtFirstSight(
  deps: BookDeps,
  input: PaymentToBook,
  keep: (verdict: Verdict) => Write,
): Promise<BookResult | undefined> {
  const seen = await look(deps, input, 'eventual')
  if (seen.file.callbacks.some(({ sk }) => sk === input.evidence.sk)) return undefined
  const decision = decideBooking(seen.facts, input.event)
  if (decision.kind !== 'apply' || seen.before !== undefined) return undefined
  const context = writeContext(deps)
  const writes = [...writesOf(context, input, seen, decision), keep('applied')]
  const result = await commit(deps.ledger, writes, context.now)
  return result.kind === 'done' ? { kind: 'booked', verdict: 'applied' } : undefined
}

interface Seen {
  readonly file: OrderFile
  readonly payment?: PaymentRow
  /** The order that the payment was booked on, when it is another one. */
  readonly otherOrder?: OrderRow
  readonly facts: BookingFile
  /** The row that the payment takes over. */
  readonly before?: NonNullable<BookingContext['before']>
}

async function look(
  { ledger }: BookDeps,
  { location, event }: PaymentToBook,
  reading: Reading = 'consistent',
): Promise<Seen> {
  const booked = location.transaction?.collection ?? (location.alsoNames && orderPk(location.alsoNames))
  const [file, otherFile] = await Promise.all([
    readCollection(ledger, location.pk, reading),
    booked !== undefined && booked !== location.pk ? readCollection(ledger, booked, reading) : undefined,
  ])
  const sk = paymentSk(event.channel, event.channelTxnId)
  const files = [file, ...(otherFile === undefined ? [] : [otherFile])]
  const home = files.find(({ payments }) => payments.some((row) => row.sk === sk))
  const payment = home?.payments.find((row) => row.sk === sk)
  const isTaken = payment?.role === 'ORPHAN' || payment?.role === 'AWAITED'
  return {
    file,
    ...(payment !== undefined && { payment }),
    ...(otherFile?.order !== undefined && { otherOrder: otherFile.order }),
    ...(isTaken && home !== undefined && { before: { payment, tasks: home.tasks } }),
    // A payment whose undoing alone was heard is not known: it is decided as any new one.
    facts: {
      ...factsOf(file, payment?.role === 'AWAITED' ? undefined : payment),
      namesTwoOrders: location.alsoNames !== undefined,
    },
  }
}

function factsOf(file: OrderFile, payment: PaymentRow | undefined): BookingFile {
  const { order } = file
  return {
    payAttempts: file.payAttempts,
    ...(order !== undefined && {
      order: {
        orderNo: order.orderNo,
        status: order.status,
        money: { amount: order.amount, currency: order.currency },
      },
    }),
    ...(payment !== undefined && {
      payment: {
        role: payment.role,
        money: { amount: payment.paid, currency: payment.currency },
        ...(payment.orderNo !== undefined && { orderNo: payment.orderNo }),
        ...(payment.outTradeNo !== undefined && { outTradeNo: payment.outTradeNo }),
      },
    }),
  }
}

type Committed = Exclude<BookingDecision, { kind: 'duplicate' | 'orderUnknown' }>

function verdictOf(decision: Committed): Verdict {
  switch (decision.kind) {
    case 'apply':
      return 'applied'
    case 'refund':
      return decision.role === 'LATE' ? 'late' : 'surplus'
    case 'mismatch':
      return 'mismatched'
    case 'conflict':
      return 'conflict'
  }
}

/** The table never decides this way; if it did, going on would be a guess about money. */
class DecisionWithoutSubjectError extends Error {
  override readonly name = 'DecisionWithoutSubjectError'
  readonly code = 'DECISION_WITHOUT_SUBJECT'
}

function writesOf(context: WriteContext, input: PaymentToBook, seen: Seen, decision: Committed): readonly Write[] {
  const { event, location } = input
  const { file, payment } = seen
  if (decision.kind === 'conflict') {
    const orders = [file.order, seen.otherOrder].filter((order) => order !== undefined)
    const conflict = { pk: location.pk, orders, payment, event }
    return conflictWrites(conflict, causeOf(input, decision.reason), context)
  }
  if (file.order === undefined) throw new DecisionWithoutSubjectError('A booking needs the order that it changes.')
  return bookingWrites({ ...file, order: file.order }, decision, {
    ...context,
    event,
    cause: causeOf(input, 'CHANNEL_PAID'),
    ...(seen.before !== undefined && { before: seen.before }),
  })
}
