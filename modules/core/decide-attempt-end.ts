import type { OrderStatus } from './order.ts'
import { isOpen, type PayAttemptState, payAttemptMachine } from './pay-attempt.ts'

export type PayAttemptEndDecision =
  | { readonly kind: 'nothing' }
  /** `orderFails`: it was the last open payAttempt of a PAYING order. */
  | { readonly kind: 'end'; readonly event: 'fail' | 'confirmClosed'; readonly orderFails: boolean }

/**
 * What "failed" or "closed", said by a channel, means: it touches its own payAttempt and at most turns a PAYING order without
 * an open payAttempt to PAY_FAILED, which the next try leaves again. It never reopens or closes an order.
 * @param others states of the order's other payAttempts
 * Source: docs/design/states.md, payAttempt
 */
export function decidePayAttemptEnd(
  kind: 'failed' | 'closed',
  state: PayAttemptState,
  others: readonly PayAttemptState[],
  order: OrderStatus,
): PayAttemptEndDecision {
  const event = kind === 'failed' ? 'fail' : 'confirmClosed'
  if (payAttemptMachine.edges[state][event] === undefined) return { kind: 'nothing' }
  return { kind: 'end', event, orderFails: order === 'PAYING' && !others.some(isOpen) }
}
