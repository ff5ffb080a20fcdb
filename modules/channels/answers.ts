import type { ChannelId, ChannelTxnId } from '../core/ids.ts'
import { msOf } from '../core/instant.ts'
import type { Outcome } from '../core/outcome.ts'
import { type CloseAnswer, EXPIRY_GRACE_MS, type PayAttemptRef, type QueryAnswer } from './client.ts'
import { eventIdOf } from './event-id.ts'
import { UnreadableFieldError } from './field.ts'
import { type Fact, toEvent } from './notice.ts'

/** What a payment's answer must have read. */
export type PaidFact = Fact & { readonly channelTxnId: ChannelTxnId }

/** Paid: the event has one id however often the channel is asked. */
export function paidAnswer(channel: ChannelId, ref: PayAttemptRef, fact: PaidFact): QueryAnswer {
  const event = toEvent(channel, queryEventId(fact.channelTxnId), { ...fact, outTradeNo: ref.outTradeNo })
  return { outcome: { kind: 'done' }, state: 'paid', event }
}

/** Closed, or failed for good, at the channel. */
export function endedAnswer(
  channel: ChannelId,
  ref: PayAttemptRef,
  kind: 'closed' | 'failed',
  code: string,
): QueryAnswer {
  const event = toEvent(channel, queryEventId(`${ref.outTradeNo}/${kind}`), { kind, outTradeNo: ref.outTradeNo })
  return kind === 'closed'
    ? { outcome: { kind: 'done', code }, state: 'closed', event }
    : { outcome: { kind: 'notYet', code }, state: 'closable', event }
}

function queryEventId(part: string): string {
  return eventIdOf(`query/${part}`, Buffer.alloc(0))
}

/** Definitely not paid so far, and the channel can be told to close. */
export function closableAnswer(code: string): QueryAnswer {
  return { outcome: { kind: 'notYet', code }, state: 'closable' }
}

/** Money is under way. */
export function movingAnswer(code: string): QueryAnswer {
  return { outcome: { kind: 'notYet', code }, state: 'moving' }
}

/**
 * Money is under way, and only the merchant can let it through: nothing closes, and a person is told at once what to do.
 * @param code the channel's reason
 */
export function waitsForMerchant(code: string, message: string): QueryAnswer {
  return { outcome: { kind: 'rejected', code: `WAITS_FOR_MERCHANT_${code}`, message }, state: 'moving' }
}

/** Was paid and has been given back: see {@link QueryAnswer}. */
export function refundedAnswer(): QueryAnswer {
  return { outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' }, state: 'paid' }
}

/** No definite answer: whatever it came to, nothing closes. */
export function noAnswer(outcome: Outcome): QueryAnswer {
  return { outcome, state: 'unknown' }
}

/** A state or status that the channel's table does not have. */
export function unknownState(channelWord: string | undefined): QueryAnswer {
  const code = channelWord === undefined ? 'STATE_MISSING' : 'STATE_NOT_IN_TABLE'
  return noAnswer({ kind: 'unknown', code, message: 'The channel named no state that its table knows.' })
}

/** The answer is about another payment than the one asked for: nothing of it may reach our order. */
export function foreignAnswer(field: string): QueryAnswer {
  return noAnswer({ kind: 'mismatch', code: 'ANSWER_NOT_OURS', message: `The answer's field '${field}' is not ours.` })
}

/** What we would need to ask is not in the channel's secret. */
export function keyMissing(field: string): QueryAnswer {
  const message = `The channel's secret has no '${field}'. Fill it in; docs/guide.md shows its form.`
  return noAnswer({ kind: 'misconfigured', code: 'KEY_MISSING', message })
}

/**
 * "Not found", or waiting at a channel that has no close: may be closed after the payAttempt's own expiry plus grace, and is
 * nothing definite before.
 * Source: docs/channels/README.md, Words for states
 */
export function waitOutExpiry(ref: PayAttemptRef, nowMs: number, code: string): QueryAnswer {
  return { outcome: { kind: 'notYet', code }, state: isOver(ref, nowMs) ? 'closable' : 'unknown' }
}

/** Closing what the channel does not know: done after expiry plus grace; before, the buyer's page may still create it. */
export function nothingToClose(ref: PayAttemptRef, nowMs: number, code: string): CloseAnswer {
  return isOver(ref, nowMs)
    ? { outcome: { kind: 'done', code: 'NEVER_CREATED' }, state: 'closed' }
    : { outcome: { kind: 'notYet', code }, state: 'unknown' }
}

function isOver(ref: PayAttemptRef, nowMs: number): boolean {
  return nowMs >= msOf(ref.expiresAt) + EXPIRY_GRACE_MS
}

/** Runs the reading of an answer; a field that cannot be read makes it no answer, never a guess. */
export function readAnswer(read: () => QueryAnswer): QueryAnswer {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadableFieldError)) throw error
    return noAnswer({ kind: 'unknown', code: 'ANSWER_UNREADABLE', message: error.message })
  }
}
