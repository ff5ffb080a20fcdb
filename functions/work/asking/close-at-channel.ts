import type { QueryAnswer } from '../../../modules/channels/client.ts'
import type { ChannelEvent } from '../../../modules/core/channel-event.ts'
import type { Instant } from '../../../modules/core/instant.ts'
import type { Outcome, OutcomeKind } from '../../../modules/core/outcome.ts'
import type { Asked, AskedPayAttempt, ChannelDesk } from './channel-desk.ts'

/** What became of a payAttempt that must not be paid any more. */
export type Closing =
  /** The channel takes no money for it any more, by its own word or because nothing more can be done there. */
  | { readonly kind: 'closed' }
  /** Paid in the meantime: a fact for the decision table. `event` is absent when it was given back already: a person. */
  | { readonly kind: 'paid'; readonly event?: ChannelEvent }
  /** A bank debit is under way: wait, without alarm. */
  | { readonly kind: 'moving' }
  | { readonly kind: 'parked'; readonly until: Instant }
  /** No definite answer: never close. */
  | { readonly kind: 'unknown'; readonly outcome: Outcome }

/**
 * Asks, closes, and asks again: a payAttempt counts as closed only when the channel confirms it. At most three calls.
 * Channels that cannot be asked were waited out before; one that cannot close lets the payAttempt expire.
 * @param pass the epoch of the gate's slot for the first call
 * Source: docs/design/flows.md, Asking and closing
 */
export async function closeAtChannel(
  desk: ChannelDesk,
  attempt: AskedPayAttempt,
  pass: number | undefined,
): Promise<Closing> {
  const before = await desk.query(attempt, pass)
  if (before.kind !== 'unsupported') {
    const booked = final(before)
    if (booked !== undefined) return booked
  }
  const closed = await desk.close(attempt, before.kind === 'unsupported' ? pass : undefined)
  // Not paid, and the channel has no close: it lets the payAttempt expire, and money that comes all the same goes back.
  if (closed.kind === 'unsupported') return { kind: 'closed' }
  if (closed.kind === 'parked') return closed
  const { state } = closed.answer
  if (state === 'paid' || state === 'moving' || state === 'unknown') return closingOf(closed.answer)
  if (before.kind === 'unsupported') return { kind: 'closed' }
  return confirm(desk, attempt, closed.answer)
}

/** The answer to the first question, where it already ends the matter. */
function final(asked: Exclude<Asked, { kind: 'unsupported' }>): Closing | undefined {
  if (asked.kind === 'parked') return asked
  return asked.answer.state === 'closable' ? undefined : closingOf(asked.answer)
}

/** "Nothing more can be done there" (never created, expired) needs no second question; "closed" does. */
async function confirm(desk: ChannelDesk, attempt: AskedPayAttempt, closed: QueryAnswer): Promise<Closing> {
  if (closed.state === 'closable') return NOTHING_LEFT.has(closed.outcome.kind) ? { kind: 'closed' } : unknownOf(closed)
  const after = await desk.query(attempt)
  if (after.kind === 'unsupported') return { kind: 'closed' }
  if (after.kind === 'parked') return after
  // "Closed", and yet it looks payable: an answer that lies or lags. Ask again later.
  if (after.answer.state === 'closable' && closed.outcome.code !== 'NEVER_CREATED') {
    return { kind: 'unknown', outcome: { kind: 'unknown', code: 'CLOSE_NOT_CONFIRMED' } }
  }
  return after.answer.state === 'closable' ? { kind: 'closed' } : closingOf(after.answer)
}

/** Answers of a close after which "closable" means that nothing more can be done there; with any other the close was refused. */
const NOTHING_LEFT: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>(['done', 'notYet'])

function unknownOf({ outcome }: QueryAnswer): Closing {
  return { kind: 'unknown', outcome }
}

function closingOf(answer: QueryAnswer): Closing {
  switch (answer.state) {
    case 'paid':
      return { kind: 'paid', ...(answer.event !== undefined && { event: answer.event }) }
    case 'closed':
    case 'closable':
      return { kind: 'closed' }
    case 'moving':
      return { kind: 'moving' }
    case 'unknown':
      return { kind: 'unknown', outcome: answer.outcome }
  }
}
