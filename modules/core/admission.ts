import type { OwnCause } from './balance.ts'

/** What may go out without a person, per currency; amounts in minor units. */
export interface MoneyOutLimits {
  /** Above it, by the payment's money out in all, a person approves. */
  readonly approveAbove: number
  /** Above it two people decide. */
  readonly fourEyesAbove: number
  readonly perHour: CapLimit
  readonly perDay: CapLimit
}

export interface CapLimit {
  readonly count: number
  readonly amount: number
}

/** What a channel has already given out in a currency on one day, with each hour. */
export interface CapUse {
  readonly day: CapLimit
  readonly hour: CapLimit
}

export type ApprovalReason = 'APPROVAL_AMOUNT' | 'APPROVAL_CAP' | 'APPROVAL_FROZEN'

export type Admission =
  | { readonly kind: 'auto' }
  /** `eyes`: how many people it takes at least. */
  | { readonly kind: 'person'; readonly reason: ApprovalReason; readonly eyes: 'one' | 'two' }

export interface Asked {
  readonly cause: OwnCause
  readonly amount: number
  /** Money out of this payment in all, this refund included: gone + reserved. */
  readonly cumulative: number
  readonly isFrozen: boolean
}

/**
 * Whether a refund goes out by itself. A currency that the settings do not list always asks a person.
 * Source: docs/design/money-back.md
 */
export function admit(asked: Asked, limits: MoneyOutLimits | undefined, use: CapUse): Admission {
  const eyes = limits === undefined || asked.cumulative > limits.fourEyesAbove ? 'two' : 'one'
  if (asked.isFrozen) return { kind: 'person', reason: 'APPROVAL_FROZEN', eyes }
  if (limits === undefined || asked.cumulative > limits.approveAbove) {
    return { kind: 'person', reason: 'APPROVAL_AMOUNT', eyes }
  }
  const fits = fitsIn(use.day, limits.perDay, asked.amount) && fitsIn(use.hour, limits.perHour, asked.amount)
  return fits ? { kind: 'auto' } : { kind: 'person', reason: 'APPROVAL_CAP', eyes }
}

/** Whether one more of this amount stays within a cap. */
export function fitsIn(use: CapLimit, limit: CapLimit, amount: number): boolean {
  return use.count + 1 <= limit.count && use.amount + amount <= limit.amount
}
