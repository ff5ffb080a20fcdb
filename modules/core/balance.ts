import type { Instant } from './instant.ts'
import type { RefundState } from './refund.ts'

/** Movements of money back that we command; their states are ours to decide. */
export const ownCauses = ['LATE', 'SURPLUS', 'MERCHANT', 'PERSON'] as const
/** Movements that a channel tells us of. */
export const toldCauses = ['EXTERNAL', 'DISPUTE'] as const
export type OwnCause = (typeof ownCauses)[number]
export type ToldCause = (typeof toldCauses)[number]
export type RefundCause = OwnCause | ToldCause

/** One movement of money back, as the balance of its payment counts it. Amounts are minor units of the payment's currency. */
export interface Movement {
  readonly cause: RefundCause
  readonly state: RefundState
  readonly amount: number
  /** When it was first claimed for sending: a sum that was told before cannot hold it. */
  readonly firstClaimAt?: Instant
}

/** What channels told of a payment's money beside single movements. Every part only grows by machine. */
export interface Tellings {
  /** The largest running sum of refunds that was told. */
  readonly told: number
  /** How much of a told sum was provably not ours. */
  readonly foreign: number
  /** The channel cancelled, voided, revoked or expired the whole payment. */
  readonly allBack: boolean
}

export const nothingTold: Tellings = { told: 0, foreign: 0, allBack: false }

/** The balance of one payment, in minor units. Source: docs/design/money-back.md */
export interface Balance {
  /** Our own refunds that are done. */
  readonly refunded: number
  /** Refunds of others that are done, as single movements. */
  readonly external: number
  readonly disputed: number
  /** What is promised or under way, whatever its cause. */
  readonly reserved: number
  /** What is certainly away. */
  readonly gone: number
  /** What a new request may take. Pessimistic while a refund of ours is under way; below 0 only by facts (an overdraft). */
  readonly free: number
}

/** The one set of formulas for every channel. Pure: the order in which facts arrived does not matter. */
export function balanceOf(paid: number, movements: readonly Movement[], tellings: Tellings): Balance {
  const refunded = sumOf(movements, isOwn, isDone)
  const external = sumOf(movements, ({ cause }) => cause === 'EXTERNAL', isDone)
  const disputed = sumOf(movements, ({ cause }) => cause === 'DISPUTE', isDone)
  const reserved = sumOf(movements, isUnderWay)
  const { told, foreign, allBack } = tellings
  const all = allBack ? paid : 0
  const gone = Math.max(refunded + Math.max(external, foreign), all) + disputed
  const away = Math.max(refunded + Math.max(external, foreign, told - refunded), all)
  return { refunded, external, disputed, reserved, gone, free: paid - away - disputed - reserved }
}

/**
 * What is known after a channel told a running sum. The part that no refund of ours can explain is foreign: only refunds that
 * were claimed before the telling may be in it.
 * @param at when it was told, by our clock or the channel's
 */
export function tellSum(tellings: Tellings, movements: readonly Movement[], sum: number, at: Instant): Tellings {
  const ours = sumOf(movements, isOwn, mayBeOut, ({ firstClaimAt }) => firstClaimAt !== undefined && firstClaimAt <= at)
  return {
    ...tellings,
    told: Math.max(tellings.told, sum),
    foreign: Math.max(tellings.foreign, sum - ours),
  }
}

/** Own movements that are not refused and not over: with all that is gone they decide where the order goes. */
export function ownOpen(movements: readonly Movement[]): number {
  return sumOf(movements, isOwn, isUnderWay)
}

const isOwn = ({ cause }: Movement): boolean => cause !== 'EXTERNAL' && cause !== 'DISPUTE'
const isDone = ({ state }: Movement): boolean => state === 'DONE'
const isUnderWay = ({ state }: Movement): boolean => state === 'CREATED' || state === 'UNKNOWN' || state === 'SUBMITTED'
const mayBeOut = ({ state }: Movement): boolean =>
  state === 'UNKNOWN' || state === 'SUBMITTED' || state === 'DONE' || state === 'REVERSED'

function sumOf(movements: readonly Movement[], ...tests: readonly ((movement: Movement) => boolean)[]): number {
  return movements
    .filter((movement) => tests.every((test) => test(movement)))
    .reduce((sum, { amount }) => sum + amount, 0)
}
