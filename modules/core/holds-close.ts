import { type Instant, msOf, plusMs } from './instant.ts'
import type { TaskStatus } from './task.ts'
import type { TaskType } from './task-policies.ts'

/** What says that money of an order may be there, as a task of its file tells it. */
export interface HoldingTask {
  readonly bizType: TaskType
  readonly status: TaskStatus
  readonly createdAt: Instant
  /** QUERY_PAYMENT: only a hint named the payment that it asks about. */
  readonly isHinted?: boolean
  /** REVIEW: a verified notice about money that could not be read. */
  readonly isUnreadMoney?: boolean
}

export type HoldReason = 'CALLBACK_PARKED' | 'PAYMENT_IS_ASKED_ABOUT' | 'MONEY_UNREAD'

/** A hint may be forged: it holds the close for so long from the first one on, however many follow. */
export const HINT_HOLD_MS = 60 * 60 * 1000
/** So long a person has to say what an unread notice about money is, before its order closes all the same. */
export const UNREAD_HOLD_MS = 24 * 60 * 60 * 1000

/**
 * Why an order must not close now: money that is told of, and not booked yet, would be LATE and go back. Bounded: a parked callback
 * holds until its ticket, a hint for an hour, unread money for a day. Source: docs/design/rules.md
 */
export function holdsClose(tasks: readonly HoldingTask[], now: Instant): HoldReason | undefined {
  if (tasks.some(({ bizType, status }) => bizType === 'SETTLE_CALLBACK' && isUnderWay(status))) return 'CALLBACK_PARKED'
  const hinted = tasks.filter(({ bizType, isHinted }) => bizType === 'QUERY_PAYMENT' && isHinted === true)
  const firstMs = Math.min(...hinted.map(({ createdAt }) => msOf(createdAt)))
  const isAsked = hinted.some(({ status }) => isUnderWay(status)) && msOf(now) < firstMs + HINT_HOLD_MS
  if (isAsked) return 'PAYMENT_IS_ASKED_ABOUT'
  const isUnread = tasks.some(
    ({ bizType, status, isUnreadMoney, createdAt }) =>
      bizType === 'REVIEW' && status === 'MANUAL' && isUnreadMoney === true && now < plusMs(createdAt, UNREAD_HOLD_MS),
  )
  return isUnread ? 'MONEY_UNREAD' : undefined
}

const isUnderWay = (status: TaskStatus): boolean =>
  status === 'WAITING' || status === 'RETRY' || status === 'PROCESSING'
