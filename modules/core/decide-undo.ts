import {
  type Balance,
  balanceOf,
  type Movement,
  type OwnCause,
  type Tellings,
  type ToldCause,
  tellSum,
} from './balance.ts'
import type { Undo } from './channel-event.ts'
import type { Instant } from './instant.ts'
import type { OrderStatus } from './order.ts'
import type { PaymentRole } from './payment.ts'
import type { RefundState } from './refund.ts'
import { stateAfterNews } from './told-movement.ts'

/** A movement as its row has it; `id` is the channel's own number of a told one. */
export interface FileMovement extends Movement {
  readonly refundNo: string
  readonly id?: string
  readonly newsAt?: Instant
}

/** What the ledger knows when news of undone money comes in. Amounts are minor units of the payment's currency. */
export interface UndoFile {
  readonly payment: {
    readonly role: PaymentRole
    readonly paid: number
    readonly tellings: Tellings
    readonly movements: readonly FileMovement[]
    /** Money went back and the channel did not say how much. */
    readonly amountUnknown: boolean
  }
  /** Absent for money without an order. */
  readonly order?: { readonly status: OrderStatus; readonly undelivered: number }
}

export type UndoNews = Undo & { readonly cause: ToldCause }

/** The row of a told movement: put when it is new, else moved. */
export interface ToldMovement {
  readonly cause: ToldCause
  readonly id: string
  readonly amount: number
  readonly state: RefundState
  readonly newsAt?: Instant
}

/** What is to become of one refund of ours. */
export type OwnStep =
  /** It is under way: its task asks now. */
  | { readonly do: 'wake'; readonly refundNo: string }
  /** It was never sent and would give back more than is left; `rest` is what a new one may give back, 0 for nothing. */
  | { readonly do: 'cancel'; readonly refundNo: string; readonly cause: OwnCause; readonly rest: number }

export type UndoTicket = 'undone' | 'dispute' | 'overdraft'

export type UndoDecision =
  /** Old news, or known: nothing but its verdict. */
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'record'
      readonly tellings: Tellings
      readonly amountUnknown: boolean
      readonly row?: ToldMovement
      /** After the news and after the own refunds that it cancels. */
      readonly balance: Balance
      /** Stops what is not delivered, or on a closed order what is not sent back. */
      readonly freeze: boolean
      readonly own: readonly OwnStep[]
      /** The tickets that the news belongs to; one that is open gets it as evidence. */
      readonly tickets: readonly UndoTicket[]
    }

/**
 * What follows from news that money of a known payment was undone. Pure, and the same end in whatever order facts arrive.
 * The order's status never follows by itself. Source: docs/design/money-back.md
 * @param at when the news was told
 */
export function decideUndo(file: UndoFile, news: UndoNews, at: Instant): UndoDecision {
  const learned = learn(file, news, at)
  if (learned === undefined) return { kind: 'nothing' }
  const { payment, order } = file
  const before = balanceOf(payment.paid, learned.movements, learned.tellings)
  const own = ownSteps(learned.movements, before, news)
  const balance = balanceOf(payment.paid, afterCancel(learned.movements, own), learned.tellings)
  const isUnclear = news.form === 'amountUnknown'
  return {
    kind: 'record',
    tellings: learned.tellings,
    amountUnknown: payment.amountUnknown || isUnclear,
    ...(learned.row !== undefined && { row: learned.row }),
    balance,
    freeze: order !== undefined && freezes(payment.role, order, isUnclear),
    own,
    tickets: ticketsOf(file, news, { balance, own, tellings: learned.tellings }),
  }
}

interface Learned {
  readonly tellings: Tellings
  readonly movements: readonly FileMovement[]
  readonly row?: ToldMovement
}

function learn(file: UndoFile, news: UndoNews, at: Instant): Learned | undefined {
  const { tellings, movements, amountUnknown } = file.payment
  switch (news.form) {
    case 'amountUnknown':
      return amountUnknown ? undefined : { tellings, movements }
    case 'all':
      return tellings.allBack ? undefined : { tellings: { ...tellings, allBack: true }, movements }
    case 'sum': {
      const told = tellSum(tellings, movements, news.money?.amount ?? 0, news.at ?? at)
      const isKnown = told.told === tellings.told && told.foreign === tellings.foreign
      return isKnown ? undefined : { tellings: told, movements }
    }
    case 'one':
      return learnMovement(file, news)
    default:
      return news.form satisfies never
  }
}

function learnMovement({ payment }: UndoFile, news: UndoNews): Learned | undefined {
  const { tellings, movements } = payment
  // A channel that names no movement has at most one of a kind for a payment.
  const id = news.id ?? '1'
  const known = movements.find((one) => one.cause === news.cause && one.id === id)
  // A dispute may be known before its money is: the most that was told counts, whatever came first.
  const amount = Math.max(news.money?.amount ?? 0, known?.amount ?? 0)
  const state = stateAfterNews(known, news) ?? (amount === known?.amount ? undefined : known?.state)
  if (state === undefined) return undefined
  const newsAt = laterOf(known?.newsAt, news.at)
  const row = { cause: news.cause, id, amount, state, ...(newsAt !== undefined && { newsAt }) }
  return {
    tellings,
    movements: [...movements.filter((one) => one !== known), { ...row, refundNo: known?.refundNo ?? '' }],
    row,
  }
}

const laterOf = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** CREATED is provably not sent and may be cancelled while it would overdraw; what may be out is asked about. */
function ownSteps(movements: readonly FileMovement[], balance: Balance, news: UndoNews): readonly OwnStep[] {
  let { free } = balance
  return movements.flatMap((one): readonly OwnStep[] => {
    const { cause, state, refundNo } = one
    if (cause === 'EXTERNAL' || cause === 'DISPUTE') return []
    if (state === 'UNKNOWN' || state === 'SUBMITTED') return [{ do: 'wake', refundNo }]
    if (state !== 'CREATED') return []
    // Nobody knows how much is left: a frozen order sends nothing, and the ticket decides.
    if (news.form === 'amountUnknown' || free >= 0) return [{ do: 'wake', refundNo }]
    free += one.amount
    const rest = cause === 'LATE' || cause === 'SURPLUS' ? Math.max(0, Math.min(free, one.amount)) : 0
    free -= rest
    return [{ do: 'cancel', refundNo, cause, rest }]
  })
}

function afterCancel(movements: readonly FileMovement[], steps: readonly OwnStep[]): readonly Movement[] {
  return movements.map((one) => {
    const step = steps.find(({ refundNo }) => refundNo === one.refundNo)
    // The rest is reserved again by the refund that takes its place.
    return step?.do === 'cancel' ? { ...one, amount: step.rest } : one
  })
}

function freezes(role: PaymentRole, order: NonNullable<UndoFile['order']>, isUnclear: boolean): boolean {
  // A frozen order sends no refund either: of how much, a person says.
  if (isUnclear) return true
  return role === 'APPLIED' && order.status === 'PAID' && order.undelivered > 0
}

interface Known {
  readonly balance: Balance
  readonly own: readonly OwnStep[]
  readonly tellings: Tellings
}

function ticketsOf({ payment, order }: UndoFile, news: UndoNews, known: Known): readonly UndoTicket[] {
  if (news.cause === 'DISPUTE') return ['dispute']
  if (news.form === 'amountUnknown') return ['undone']
  switch (payment.role) {
    case 'APPLIED':
      return ofApplied(payment.paid, order?.status, known)
    case 'LATE':
    case 'SURPLUS':
      return known.balance.free < 0 && known.own.some((step) => step.do === 'wake') ? ['undone'] : []
    case 'MISMATCHED':
    case 'ORPHAN':
    case 'AWAITED':
      return ['undone']
    default:
      return payment.role satisfies never
  }
}

function ofApplied(paid: number, status: OrderStatus | undefined, known: Known): readonly UndoTicket[] {
  const { refunded, external, disputed, reserved, free } = known.balance
  if (status === 'REFUNDED') return free < 0 ? ['overdraft'] : []
  if (status !== 'REFUNDING') return ['undone']
  const told = Math.max(known.tellings.told, known.tellings.allBack ? paid : 0)
  const isExplained = told <= refunded + reserved && refunded + external + disputed + reserved <= paid
  return isExplained ? [] : ['undone']
}

export interface TakeOver {
  /** What an automatic refund of late or surplus money may give back: the rest, never more. */
  readonly refundable: number
  readonly freeze: boolean
  /** The tickets that open now; what waited under another name ends, for its payment has come. */
  readonly tickets: readonly UndoTicket[]
}

/**
 * What follows when the payment comes whose undoing was heard first: the same as if the news had come after it.
 * @param role what the payment is to its order
 * @param file figures as they were heard, with the paid amount of the payment that has come
 */
export function takeOverAwaited(role: Exclude<PaymentRole, 'AWAITED'>, file: UndoFile['payment']): TakeOver {
  const { free } = balanceOf(file.paid, file.movements, file.tellings)
  const isDisputed = file.movements.some(({ cause }) => cause === 'DISPUTE')
  const isGivenBack =
    file.tellings.told > 0 || file.tellings.allBack || file.movements.some(({ cause }) => cause === 'EXTERNAL')
  const needsPerson = file.amountUnknown || (isGivenBack && role !== 'LATE' && role !== 'SURPLUS')
  return {
    refundable: Math.max(0, free),
    freeze: file.amountUnknown || role === 'APPLIED',
    tickets: [...(needsPerson ? (['undone'] as const) : []), ...(isDisputed ? (['dispute'] as const) : [])],
  }
}
