import type { ChannelEvent } from '../core/channel-event.ts'
import type { ChannelId } from '../core/ids.ts'
import type { OperatorType } from '../core/operator.ts'
import type { Verdict } from '../core/verdict.ts'
import type { LedgerDeps, WriteContext } from '../ledger/context.ts'
import { type Decided, describeLosses } from '../ledger/decide-and-commit.ts'
import type { Cause } from '../ledger/order/change-order.ts'
import type { Location } from '../ledger/read/locate-order.ts'
import { commit } from '../ledger/table/commit.ts'
import type { Key } from '../ledger/table/keys.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { log } from '../runtime/telemetry/log.ts'

/** One event on its way into the ledger. */
export interface EventToBook {
  readonly location: Location
  readonly event: ChannelEvent
  /** The kept callback (or query attempt) that is its evidence. */
  readonly evidence: Key
  readonly operatorType: OperatorType
}

/** What bookings are made with, for the life of a function. */
export interface BookDeps extends LedgerDeps, Pick<WriteContext, 'notices'> {
  /** Whether the channel can be asked what of a payment's money went back. */
  readonly canAskBack: (channel: ChannelId) => boolean
}

export type BookResult =
  | { readonly kind: 'booked'; readonly verdict: Verdict }
  | { readonly kind: 'orderUnknown' }
  /** Could not be committed now: a durable task takes over. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** Commits writes that rest on no decision about the order. */
export async function finish(
  deps: Pick<BookDeps, 'ledger' | 'now'>,
  writes: readonly Write[],
  verdict: Verdict,
): Promise<BookResult> {
  const result = await commit(deps.ledger, writes, deps.now())
  if (result.kind === 'done') return { kind: 'booked', verdict }
  // Nothing in them was read, so a loss cannot be decided again: it is contention.
  return resultOf(result.kind === 'lost' ? { kind: 'gaveUp', losses: result.losses } : result)
}

/** What a decision about an event came to; one that others kept from being committed is logged with what stood in the way. */
export function resultOf(decided: Decided<BookResult>): BookResult {
  switch (decided.kind) {
    case 'decided':
      return decided.value
    case 'gaveUp':
      log('WARN', 'A booking gave up: others kept being faster.', { lostTo: describeLosses(decided.losses) })
      return CONTENDED
    case 'conflict':
      return CONTENDED
    case 'bug':
      return { kind: 'failed', code: 'LEDGER_BUG', message: decided.message }
  }
}

export const CONTENDED: BookResult = {
  kind: 'failed',
  code: 'CONTENDED',
  message: 'Other writers kept changing the order; the task tries again.',
}

/** Why an order moves, on whose word and on what evidence. */
export function causeOf({ event, evidence, operatorType }: EventToBook, reason: string): Cause {
  return { operatorType, operator: event.channel, reason, evidence: evidence.sk }
}
