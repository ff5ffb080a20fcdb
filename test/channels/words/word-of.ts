import type { Parsed } from '../../../modules/channels/channel.ts'
import type { CloseAnswer, PayAttemptRef, QueryAnswer } from '../../../modules/channels/client.ts'
import type { ChannelEvent } from '../../../modules/core/channel-event.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import type { FakeChannel } from '../client-setup.ts'
import { aRef, OVER } from '../client-setup.ts'

/** What a channel's own code makes of one documented row, as a word of docs/channels/README.md. */
export interface ChannelWords {
  /** A notice of this type: see {@link tellingOfParsed}. */
  event(code: string, when: string): Promise<string>
  /** A state in an answer of the query. */
  state(code: string, when: string): Promise<string>
  /** A result code of the query. */
  query(code: string, when: string): Promise<string>
  /** A result code of the close. */
  close(code: string, when: string): Promise<string>
  /** A sample body of test/fixtures, as text; what the channel would have signed or sealed is done here. */
  sample(text: string): Promise<string>
}

/** The code of a row `*`: none that a table could have. */
export const UNDOCUMENTED = 'OF_TOMORROW'

/** `HTTP 404 of an order` is 404. */
export function statusIn(when: string): number {
  return Number(/HTTP (\d{3})/.exec(when)?.[1] ?? 400)
}

/** The word, and after a colon the form and state of what went back: `refund: one pending`. */
export function tellingOfParsed(parsed: Parsed): string {
  const undo = parsed.ok ? parsed.events.flatMap((event) => event.undo ?? [])[0] : undefined
  return undo === undefined ? wordOfParsed(parsed) : `${wordOfParsed(parsed)}: ${undo.form} ${undo.state}`
}

export function wordOfParsed(parsed: Parsed): string {
  if (!parsed.ok) return `unreadable ${parsed.field}`
  const words = parsed.events.map(wordOfEvent)
  if (words.length === 2 && words.includes('payment') && words.includes('refund')) return 'payment+refund'
  return words.join(' ') || 'recorded'
}

function wordOfEvent({ kind, trust, undo }: ChannelEvent): string {
  if (kind === 'unknown') return 'unknown-ticket'
  if (kind === 'other') return 'recorded'
  if (trust === 'hint') return 'hint'
  if (undo?.form === 'all') return 'undone'
  return kind === 'payment' && undo !== undefined ? 'payment+refund' : kind
}

type Ask<Answer> = (ref: PayAttemptRef) => Promise<Answer>

/** @param later the word for what may be closed after the try's own expiry and not before */
export async function wordOfQuery(ask: Ask<QueryAnswer>, later: 'not-found' | 'waiting'): Promise<string> {
  const { state, outcome, event } = await ask(aRef())
  if (event?.undo?.form === 'all') return 'undone'
  if (state === 'paid') return event === undefined ? 'refunded' : 'paid'
  if (state === 'closable') return event?.kind === 'failed' ? 'failed' : 'closable'
  if (state === 'moving' && outcome.kind === 'rejected') return 'waits-for-merchant'
  if (state !== 'unknown') return state
  const after = await ask(OVER)
  return after.state === 'closable' ? later : wordOfOutcome(outcome)
}

export interface Closing {
  readonly answer: CloseAnswer
  readonly channel: FakeChannel
}

/** The word for a refusal counts when the trade turns out still payable. */
export async function wordOfClose(close: Ask<Closing>): Promise<string> {
  const { answer, channel } = await close(aRef())
  if (answer.state === 'closed') return 'closed'
  const asked = channel.sent.length > 1
  if (asked && answer.state === 'paid') return 'ask'
  if (answer.state === 'unknown' && answer.outcome.kind === 'notYet') {
    const after = (await close(OVER)).answer.state
    if (after === 'closed') return 'not-found'
    if (after === 'closable') return 'received'
  }
  const word = wordOfOutcome(answer.outcome)
  return asked && word === 'unknown' ? 'ask' : word
}

function wordOfOutcome({ kind, suspect }: Outcome): string {
  if (kind === 'transient') return 'retry'
  if (kind === 'misconfigured') return suspect === 'request' ? 'request' : kind
  return kind === 'rejected' ? kind : 'unknown'
}
