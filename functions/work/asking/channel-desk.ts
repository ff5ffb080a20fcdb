import type { PayAttemptRef, QueryAnswer } from '../../../modules/channels/client.ts'
import type { ChannelClient } from '../../../modules/channels/clients.ts'
import type { CallReport } from '../../../modules/core/gate/report.ts'
import type { ChannelId, ChannelTxnId } from '../../../modules/core/ids.ts'
import { type Instant, msOf } from '../../../modules/core/instant.ts'
import type { Gate } from '../../../modules/gate/open-gate.ts'
import type { PayAttemptRow } from '../../../modules/ledger/table/rows.ts'
import { isKeyFault } from './key-fault.ts'

/** What a channel answered, or that its gate let no further call through now. */
export type Asked =
  | { readonly kind: 'answer'; readonly answer: QueryAnswer }
  | { readonly kind: 'parked'; readonly until: Instant }
  /** The channel has no such call. */
  | { readonly kind: 'unsupported' }

/** What a channel is asked about: a payAttempt, or an order's number under which money came; with the payment that a hint named. */
export type AskedPayAttempt = Pick<
  PayAttemptRow,
  'pk' | 'channel' | 'outTradeNo' | 'channelRef' | 'amount' | 'currency' | 'expiresAt' | 'createdAt'
> & { readonly channelTxnId?: ChannelTxnId }

/** Every outgoing call to a channel: one slot of its gate each, and one report of how it went. */
export interface ChannelDesk {
  canQuery(channel: ChannelId): boolean
  canClose(channel: ChannelId): boolean
  /**
   * @param pass the epoch of a slot that was taken before the claim; without it the call takes its own
   * @throws SecretMissingError, KeyFormatError: ours to mend, nothing was sent
   */
  query(attempt: AskedPayAttempt, pass?: number): Promise<Asked>
  /** As {@link ChannelDesk.query}. */
  close(attempt: AskedPayAttempt, pass?: number): Promise<Asked>
}

export interface DeskDeps {
  readonly gate: Gate
  readonly now: () => Instant
  readonly sleep: (ms: number) => Promise<void>
  /** Known without the secret. */
  readonly abilities: (channel: ChannelId) => { readonly canQuery: boolean; readonly canClose: boolean }
  readonly client: (channel: ChannelId) => Promise<ChannelClient>
  /** With keys fetched anew; `undefined` when they are still the same or it is too early to ask. */
  readonly clientAfresh: (channel: ChannelId) => Promise<ChannelClient | undefined>
}

type CallOf = (client: ChannelClient) => ((ref: PayAttemptRef) => Promise<QueryAnswer>) | undefined

/** Opens the desk for the life of a Lambda environment. */
export function openChannelDesk(deps: DeskDeps): ChannelDesk {
  const ask = async (attempt: AskedPayAttempt, pass: number | undefined, call: CallOf): Promise<Asked> => {
    const { channel } = attempt
    const send = call(await openClient(deps, channel, pass))
    if (send === undefined) return { kind: 'unsupported' }
    const epoch = pass ?? (await takeSlot(deps, channel))
    if (typeof epoch !== 'number') return { kind: 'parked', until: epoch.until }
    const startedMs = msOf(deps.now())
    const first = await send(refOf(attempt))
    const answer = first.outcome.kind === 'misconfigured' ? await askAfresh(attempt, call, first) : first
    await deps.gate.report(channel, reportOf(attempt, answer, epoch, msOf(deps.now()) - startedMs))
    return { kind: 'answer', answer }
  }
  /** A channel that refuses our key may have had it rotated a moment ago: asked once more, by another key only. */
  const askAfresh = async (attempt: AskedPayAttempt, call: CallOf, first: QueryAnswer): Promise<QueryAnswer> => {
    const client = await deps.clientAfresh(attempt.channel)
    const send = client === undefined ? undefined : call(client)
    return send === undefined ? first : send(refOf(attempt))
  }
  return {
    canQuery: (channel) => deps.abilities(channel).canQuery,
    canClose: (channel) => deps.abilities(channel).canClose,
    query: (attempt, pass) => ask(attempt, pass, (client) => client.query),
    close: (attempt, pass) => ask(attempt, pass, (client) => client.close),
  }
}

/** A key that is missing or wrong is missing for every call: so much is known of the lane, though nothing was sent. */
async function openClient(
  { client, gate }: DeskDeps,
  channel: ChannelId,
  pass: number | undefined,
): Promise<ChannelClient> {
  try {
    return await client(channel)
  } catch (error) {
    if (pass !== undefined && isKeyFault(error)) {
      await gate.report(channel, { epoch: pass, kind: 'misconfigured', latencyMs: 0 })
    }
    throw error
  }
}

async function takeSlot(
  { gate, now, sleep }: DeskDeps,
  channel: ChannelId,
): Promise<number | { readonly until: Instant }> {
  const taken = await gate.take(channel, { live: true, now: now() })
  if (taken.kind === 'park') return { until: taken.until }
  if (taken.afterMs > 0) await sleep(taken.afterMs)
  return taken.epoch
}

function refOf(attempt: AskedPayAttempt): PayAttemptRef {
  const { outTradeNo, channelRef, channelTxnId, amount, currency, expiresAt, createdAt } = attempt
  return {
    outTradeNo,
    money: { amount, currency },
    expiresAt,
    createdAt,
    ...(channelRef !== undefined && { channelRef }),
    ...(channelTxnId !== undefined && { channelTxnId }),
  }
}

function reportOf({ pk }: AskedPayAttempt, { outcome }: QueryAnswer, epoch: number, latencyMs: number): CallReport {
  const { kind, suspect, httpStatus, retryAfterMs } = outcome
  return {
    epoch,
    kind,
    latencyMs,
    subject: pk,
    ...(suspect !== undefined && { suspect }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}
