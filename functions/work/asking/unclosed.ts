import { bookAnswer } from '../../../modules/booking/book-answer.ts'
import type { BookDeps } from '../../../modules/booking/booked.ts'
import { EXPIRY_GRACE_MS } from '../../../modules/channels/client.ts'
import { type Instant, msOf, plusMs } from '../../../modules/core/instant.ts'
import { attemptSk } from '../../../modules/ledger/table/keys.ts'
import type { PayAttemptRow } from '../../../modules/ledger/table/rows.ts'
import type { Execution, TaskView } from '../task-handler.ts'
import type { Closing } from './close-at-channel.ts'
import { MOVING_LOOK_MS } from './expiry.ts'

/**
 * How a task goes on whose payAttempt is not closed: found paid it becomes a fact of the ledger, money under way and a payAttempt
 * that the channel does not know yet are waited for without using a retry, and anything unclear climbs the ladder.
 * @param paid what the task comes to once the payment stands in the ledger
 */
export async function unclosed(
  booking: BookDeps,
  { view: { task, rows, now }, attempt }: { readonly view: TaskView; readonly attempt: PayAttemptRow },
  closing: Exclude<Closing, { kind: 'closed' }>,
  paid: Execution,
): Promise<Execution> {
  switch (closing.kind) {
    case 'paid': {
      if (closing.event === undefined) {
        // Paid and given back is no news of a payment that stands in the ledger: we or a person gave it back.
        return isBooked(rows, attempt) ? paid : { outcome: { kind: 'mismatch', code: 'PAID_THEN_REFUNDED' } }
      }
      const evidence = { pk: task.pk, sk: attemptSk(task.taskNo, task.attempts) }
      const failure = await bookAnswer(booking, closing.event, evidence)
      return failure === undefined ? paid : { outcome: failure }
    }
    case 'moving':
      // When it takes too long, the payAttempt's question brings a person.
      return waitUntil('MONEY_IS_MOVING', plusMs(now, MOVING_LOOK_MS))
    case 'parked':
      return waitUntil('GATE', closing.until)
    case 'unknown':
      return waitForExpiry(attempt, closing, now)
  }
}

function isBooked(rows: TaskView['rows'], { channel, outTradeNo }: PayAttemptRow): boolean {
  return rows.some((row) => row.et === 'PAYMENT' && row.channel === channel && row.outTradeNo === outTradeNo)
}

/** Without an attempt at a retry: the time is added to the deadline. */
export function waitUntil(code: string, at: Instant): Execution {
  return { outcome: { kind: 'notYet', code }, next: { at, rule: code.toLowerCase(), isPause: true } }
}

/** "Not yet" before the payAttempt's own expiry is no trouble: the buyer may still be at the cashier (a code not scanned). */
function waitForExpiry(
  { expiresAt }: PayAttemptRow,
  { outcome }: Extract<Closing, { kind: 'unknown' }>,
  now: Instant,
): Execution {
  const until = plusMs(expiresAt, EXPIRY_GRACE_MS)
  if (outcome.kind !== 'notYet' || now >= until) return { outcome }
  const look = plusMs(now, MOVING_LOOK_MS)
  return { outcome, next: { at: msOf(until) - msOf(look) < 0 ? until : look, rule: 'waits for expiry', isPause: true } }
}
