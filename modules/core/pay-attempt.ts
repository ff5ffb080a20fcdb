import type { Machine } from './machine.ts'

export const payAttemptStates = ['OPEN', 'PAID', 'FAILED', 'CLOSING', 'CLOSED'] as const
export type PayAttemptState = (typeof payAttemptStates)[number]
export type PayAttemptEvent = 'pay' | 'fail' | 'startClose' | 'confirmClosed'

/**
 * One try to pay. A failure touches only its payAttempt. The channel's word "paid" is a fact also for one that failed before
 * (a refused card, then another), is being closed or is closed (late money), whatever its money becomes to the order.
 * Source: docs/design/states.md, payAttempt
 */
export const payAttemptMachine: Machine<PayAttemptState, PayAttemptEvent> = {
  name: 'payAttempt',
  initial: ['OPEN'],
  final: ['PAID'],
  edges: {
    OPEN: { pay: 'PAID', fail: 'FAILED', startClose: 'CLOSING', confirmClosed: 'CLOSED' },
    FAILED: { pay: 'PAID', confirmClosed: 'CLOSED' },
    CLOSING: { pay: 'PAID', confirmClosed: 'CLOSED' },
    PAID: {},
    CLOSED: { pay: 'PAID' },
  },
}

/** Whether the buyer may still pay this try at its channel. */
export function isOpen(state: PayAttemptState): boolean {
  return state === 'OPEN' || state === 'CLOSING'
}
