import type { UndoState } from './channel-event.ts'
import type { Instant } from './instant.ts'
import type { RefundState } from './refund.ts'

/** A movement that a channel told us of, as its row has it. */
export interface ToldRow {
  readonly state: RefundState
  /** The channel's time of the newest news; absent where the channel names none. */
  readonly newsAt?: Instant
}

/** The state of a movement that was not known before. It may have ended before we heard that it began. */
const firstStates = { pending: 'SUBMITTED', done: 'DONE', failed: 'REFUSED', reversed: 'REVERSED' } as const satisfies {
  readonly [State in UndoState]: RefundState
}

/** How far a movement has come: between two news of one time, or without a time, the further one holds. */
const ranks: Readonly<Record<RefundState, number>> = {
  CREATED: 0,
  UNKNOWN: 1,
  SUBMITTED: 1,
  CANCELLED: 2,
  REFUSED: 2,
  DONE: 3,
  REVERSED: 4,
}

/**
 * The state that news of a told movement leads to, or `undefined` when the news is old or repeats what is known. Money that was
 * back with the buyer and is called failed has come back to us: REVERSED.
 */
export function stateAfterNews(
  before: ToldRow | undefined,
  news: { readonly state: UndoState; readonly at?: Instant | undefined },
): RefundState | undefined {
  const told = firstStates[news.state]
  if (before === undefined) return told
  // A step on the way says nothing of an end that is known.
  if (news.state === 'pending') return undefined
  // Done and failed together are a movement that came back, whichever we hear first.
  const cameBack = (told === 'REFUSED' && before.state === 'DONE') || (told === 'DONE' && before.state === 'REFUSED')
  if (cameBack && isLaterFailure(before, told, news.at)) return 'REVERSED'
  return told !== before.state && isNewer(before, told, news.at) ? told : undefined
}

function isLaterFailure(before: ToldRow, told: RefundState, at: Instant | undefined): boolean {
  if (at === undefined || before.newsAt === undefined) return told === 'REFUSED'
  return told === 'REFUSED' ? at > before.newsAt : at < before.newsAt
}

function isNewer(before: ToldRow, state: RefundState, at: Instant | undefined): boolean {
  if (at !== undefined && before.newsAt !== undefined && at !== before.newsAt) return at > before.newsAt
  return ranks[state] > ranks[before.state]
}
