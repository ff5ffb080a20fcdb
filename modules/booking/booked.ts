import type { ChannelEvent } from '../core/channel-event.ts'
import type { Instant } from '../core/instant.ts'
import type { NoticeRules } from '../ledger/notice/put-notice.ts'
import type { Cause } from '../ledger/order/change-order.ts'
import type { Location } from '../ledger/read/locate-order.ts'
import type { Ledger } from '../ledger/table/client.ts'
import { type Commit, commit } from '../ledger/table/commit.ts'
import type { Key } from '../ledger/table/keys.ts'
import type { Verdict } from '../core/verdict.ts'
import type { Write } from '../ledger/table/make-write.ts'

/** One event on its way into the ledger. */
export interface EventToBook {
  readonly location: Location
  readonly event: ChannelEvent
  /** The kept callback (or query attempt) that is its evidence. */
  readonly evidence: Key
  readonly operatorType: Cause['operatorType']
}

export interface BookDeps extends NoticeRules {
  readonly ledger: Ledger
  readonly now: () => Instant
}

export type BookResult =
  | { readonly kind: 'booked'; readonly verdict: Verdict }
  | { readonly kind: 'orderUnknown' }
  /** Could not be committed now: a durable task takes over. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** Reads, decides and commits again this often when others were faster. */
export const MAX_DECISIONS = 5

/** Commits writes that rest on no decision about the order. */
export async function finish(
  deps: Pick<BookDeps, 'ledger' | 'now'>,
  writes: readonly Write[],
  verdict: Verdict,
): Promise<BookResult> {
  const result = await commit(deps.ledger, writes, deps.now())
  return result.kind === 'lost' ? CONTENDED : resultOf(result, verdict)
}

export function resultOf(result: Exclude<Commit, { kind: 'lost' }>, verdict: Verdict): BookResult {
  switch (result.kind) {
    case 'done':
      return { kind: 'booked', verdict }
    case 'conflict':
      return CONTENDED
    case 'bug':
      return { kind: 'failed', code: 'LEDGER_BUG', message: result.message }
  }
}

export const CONTENDED: BookResult = {
  kind: 'failed',
  code: 'CONTENDED',
  message: 'Other writers kept changing the order; the task tries again.',
}

export function causeOf(
  event: ChannelEvent,
  evidence: Key,
  operatorType: Cause['operatorType'],
  reason: string,
): Cause {
  return { operatorType, operator: event.channel, reason, evidence: evidence.sk }
}
