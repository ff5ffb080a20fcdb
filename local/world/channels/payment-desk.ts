import { z } from 'zod'
import type { Clock } from '../../host/clock/clock.ts'
import { drawNumber, type Faults, MAX_REORDER_MS } from './faults.ts'
import type { Notice, Payment, Tamper } from './payment.ts'
import type { PaymentStore } from './payment-store.ts'
import type { Order, Protocol } from './protocol.ts'

const amount = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
const currency = z.string().regex(/^[A-Z]{3}$/)

/** What the buyer does, and what becomes of the notice about it. */
export const paySchema = z.strictObject({
  outTradeNo: z.string().min(1).max(80),
  /** ISO minor units, needed when the payment was not placed at the cashier. */
  amount: amount.optional(),
  currency: currency.optional(),
  /** The channel's number of a payment that was placed, where several have one merchant number. */
  channelRef: z.string().optional(),
  /** Pays this many ms from now; a close that comes before wins. */
  at: z.number().min(0).optional(),
  callbacks: z.union([z.enum(['lose', 'normal', 'double']), z.strictObject({ delayMs: z.number().min(0) })]).optional(),
  tamper: z.enum(['signature', 'amount', 'account', 'livemode', 'probe']).optional(),
  payAmount: amount.optional(),
  payCurrency: currency.optional(),
  /** Pays once more under a number that was paid already, by a second transaction. */
  again: z.boolean().optional(),
})
export type PayInput = z.infer<typeof paySchema>

export type PayRefusal = 'NOT_PLACED' | 'ALREADY_PAID' | 'CLOSED' | 'CURRENCY_NOT_OFFERED' | 'TAMPER_NOT_OFFERED'
export type PayResult =
  | { readonly ok: true; readonly payment: Payment }
  | { readonly ok: false; readonly code: PayRefusal }

/** The channel's own business: payments change here and nowhere else, each with its notice in one transaction. */
export interface PaymentDesk {
  find(outTradeNo: string): Payment | undefined
  findByTxnId(channelTxnId: string): Payment | undefined
  place(order: Order): Payment
  pay(input: PayInput): PayResult
  /** A try to pay is refused; the payment stays open. */
  fail(payment: Payment): Payment
  /** @returns the payment unchanged when it is not open */
  close(payment: Payment): Payment
  nextDueAt(): number | undefined
  /** Makes the payments whose time has come. */
  runPlans(): void
}

interface DeskOptions {
  readonly clock: Clock
  readonly store: PaymentStore
  readonly protocol: Protocol
  readonly faults: () => Faults
  /** Told each new notice once it is stored. */
  readonly onNotice: (notice: Notice) => void
}

type Directives = Pick<PayInput, 'callbacks' | 'tamper'>

/** Opens the desk over what the store has. */
export function openPaymentDesk({ clock, store, protocol, faults, onNotice }: DeskOptions): PaymentDesk {
  let nextPlanAt = store.plans()[0]?.dueAt

  const chance = (name: Exclude<keyof Faults, 'seed' | 'delayMs' | 'drop'>, outTradeNo: string) =>
    drawNumber(faults().seed, name, outTradeNo) < faults()[name]

  const number = (payment: Payment): Payment =>
    payment.channelTxnId === undefined
      ? { ...payment, channelTxnId: protocol.newTxnId(store.nextNumber(), clock.now()) }
      : payment

  const place = (order: Order): Payment => {
    const { outTradeNo, amount, currency, shown = true } = order
    const channelTxnId = shown ? protocol.newTxnId(store.nextNumber(), clock.now()) : undefined
    return store.addPayment({
      outTradeNo,
      ...(channelTxnId !== undefined && { channelTxnId }),
      status: 'open',
      amount,
      currency,
      createdAt: clock.now(),
    })
  }

  const change = (payment: Payment, event: Notice['event'], directives: Directives): Payment => {
    const notices = store.atomically(() => {
      store.savePayment(payment)
      return writeNotices(payment, event, directives)
    })
    for (const notice of notices) onNotice(notice)
    return payment
  }

  const writeNotices = (payment: Payment, event: Notice['event'], directives: Directives): Notice[] => {
    const now = clock.now()
    const eventId = protocol.newEventId(store.nextNumber(), now)
    const content =
      event === 'pending'
        ? protocol.describePending?.(payment, eventId, now)
        : protocol.describe(event, payment, eventId, now)
    if (content === undefined) return []
    const plan = planCallbacks(payment.outTradeNo, directives)
    const notice: Omit<Notice, 'id'> = {
      paymentId: payment.id,
      event,
      eventId,
      content,
      status: plan.lost && plan.tamper === undefined ? 'lost' : 'pending',
      attempts: 0,
      nextAt: now + plan.delayMs,
      ...(plan.tamper !== undefined && { tamper: plan.tamper }),
      ...(plan.lost && { once: true }),
    }
    return Array.from({ length: plan.copies }, () => store.addNotice(notice)).filter(
      (added) => added.status === 'pending',
    )
  }

  const planCallbacks = (outTradeNo: string, { callbacks, tamper }: Directives) => {
    const byChance = callbacks === undefined
    const reorderMs = drawNumber(faults().seed, 'reorder by', outTradeNo) * MAX_REORDER_MS
    const drawnTamper: Tamper | undefined = byChance && chance('tamper', outTradeNo) ? 'signature' : undefined
    return {
      lost: callbacks === 'lose' || (byChance && chance('lose', outTradeNo)),
      copies: callbacks === 'double' || (byChance && chance('double', outTradeNo)) ? 2 : 1,
      delayMs: byChance
        ? faults().delayMs + (chance('reorder', outTradeNo) ? Math.round(reorderMs) : 0)
        : typeof callbacks === 'object'
          ? callbacks.delayMs
          : 0,
      tamper: tamper ?? drawnTamper,
    }
  }

  const payNow = (payment: Payment, input: PayInput): Payment => {
    const ordered = input.amount ?? payment.amount
    const offBy = ordered > 1 ? -1 : 1
    const wrong = input.payAmount === undefined && chance('wrongAmount', payment.outTradeNo)
    const paid: Payment = {
      ...number(payment),
      status: 'paid',
      paidAmount: input.payAmount ?? (wrong ? ordered + offBy : ordered),
      paidCurrency: input.payCurrency ?? payment.currency,
      paidAt: clock.now(),
    }
    return change(paid, 'paid', input)
  }

  const find = (outTradeNo: string) => store.paymentsOf(outTradeNo)[0]

  const choose = (input: PayInput): PayResult => {
    const only = protocol.onlyCurrency
    if ([input.currency, input.payCurrency].some((code) => only !== undefined && code !== undefined && code !== only)) {
      return { ok: false, code: 'CURRENCY_NOT_OFFERED' }
    }
    if (input.tamper !== undefined && !protocol.tampers.includes(input.tamper)) {
      return { ok: false, code: 'TAMPER_NOT_OFFERED' }
    }
    const placed = input.channelRef === undefined ? find(input.outTradeNo) : store.paymentByTxnId(input.channelRef)
    if (placed?.status === 'open') return { ok: true, payment: placed }
    const another = placed !== undefined && input.again === true && protocol.paysAgain
    if (placed !== undefined && !another)
      return { ok: false, code: placed.status === 'paid' ? 'ALREADY_PAID' : 'CLOSED' }
    const amount = input.amount ?? placed?.amount
    if (amount === undefined) return { ok: false, code: 'NOT_PLACED' }
    const currency = input.currency ?? placed?.currency ?? only ?? 'CNY'
    return { ok: true, payment: place({ outTradeNo: input.outTradeNo, amount, currency }) }
  }

  return {
    find,
    findByTxnId: (channelTxnId) => store.paymentByTxnId(channelTxnId),
    place,
    pay: (input) => {
      const chosen = choose(input)
      if (!chosen.ok) return chosen
      if (input.at === undefined) return { ok: true, payment: payNow(chosen.payment, input) }
      const isTold = protocol.describePending !== undefined
      const payment = { ...number(chosen.payment), ...(isTold && { pendingAt: clock.now() }) }
      store.atomically(() => {
        store.savePayment(payment)
        store.addPlan(clock.now() + (input.at ?? 0), JSON.stringify({ ...input, channelRef: payment.channelTxnId }))
      })
      if (isTold) change(payment, 'pending', input.callbacks === undefined ? {} : { callbacks: input.callbacks })
      nextPlanAt = store.plans()[0]?.dueAt
      return { ok: true, payment }
    },
    fail: (payment) =>
      payment.status === 'open' ? change({ ...payment, failedAt: clock.now() }, 'failed', {}) : payment,
    close: (payment) =>
      payment.status === 'open'
        ? change({ ...payment, status: 'closed', closedAt: clock.now() }, 'closed', {})
        : payment,
    nextDueAt: () => nextPlanAt,
    runPlans: () => {
      for (const plan of store.plans()) {
        if (plan.dueAt > clock.now()) break
        const input = paySchema.parse(JSON.parse(plan.input))
        const payment = input.channelRef === undefined ? undefined : store.paymentByTxnId(input.channelRef)
        // Closed or paid in the meantime: the buyer is told so, and nothing moves.
        if (payment?.status === 'open') payNow(payment, input)
        store.removePlan(plan.id)
      }
      nextPlanAt = store.plans()[0]?.dueAt
    },
  }
}
