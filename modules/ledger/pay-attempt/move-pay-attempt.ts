import type { ChannelId, OutTradeNo } from '../../core/ids.ts'
import { stepOf } from '../../core/machine.ts'
import { type PayAttemptEvent, payAttemptMachine } from '../../core/pay-attempt.ts'
import type { Update } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { PayAttemptRow } from '../table/rows.ts'

/**
 * The only way a payAttempt's state changes. It holds in every state from which the event leads to the same one: a channel's word
 * is a fact, whoever wrote the row meanwhile.
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function movePayAttempt(attempt: PayAttemptRow, event: PayAttemptEvent): Update {
  return moveRow(payAttemptMachine, { target: attempt, from: attempt.state }, event)
}

/** The try that a payment names, unless it is paid already: at most one. */
export function tryPaidBy(
  payAttempts: readonly PayAttemptRow[],
  { channel, outTradeNo }: { readonly channel: ChannelId; readonly outTradeNo?: OutTradeNo | undefined },
): readonly PayAttemptRow[] {
  return payAttempts
    .filter((row) => row.channel === channel && row.outTradeNo === outTradeNo)
    .filter(({ state }) => stepOf(payAttemptMachine, state, 'pay') !== undefined)
}

/** Its channel says that it is paid, whatever the money becomes to the order, whose count of open tries is the caller's to write. */
export function payTries(paid: readonly PayAttemptRow[]): readonly Update[] {
  return paid.map((attempt) => movePayAttempt(attempt, 'pay'))
}

/** A payAttempt that can be paid no more, on its channel's word; nothing when its state has no such edge. */
export function closePayAttempt(attempt: PayAttemptRow): readonly Update[] {
  const closes = stepOf(payAttemptMachine, attempt.state, 'confirmClosed') !== undefined
  return closes ? [movePayAttempt(attempt, 'confirmClosed')] : []
}
