import type { PayAttemptRef, QueryAnswer, RefundAnswer, RefundRef } from '../../../modules/channels/client.ts'
import type { ChannelClient } from '../../../modules/channels/clients.ts'
import type { CallReport } from '../../../modules/core/gate/report.ts'
import type { ChannelId, ChannelTxnId } from '../../../modules/core/ids.ts'
import { type Instant, msOf } from '../../../modules/core/instant.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import type { Gate } from '../../../modules/gate/open-gate.ts'
import type { PayAttemptRow } from '../../../modules/ledger/table/rows.ts'
import { isKeyFault } from './key-fault.ts'

/** What a channel answered, or that its gate let no further call through now. */
export type AskedFor<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'parked'; readonly until: Instant }
  /** The channel has no such call. */
  | { readonly kind: 'unsupported' }
export type Asked = AskedFor<QueryAnswer>
export type AskedRefund = AskedFor<RefundAnswer>

/** What a channel is asked about: a payAttempt, or an order's number under which money came; with the payment that a hint named. */
export type AskedPayAttempt = Pick<
  PayAttemptRow,
  'pk' | 'channel' | 'outTradeNo' | 'channelRef' | 'amount' | 'currency' | 'expiresAt' | 'createdAt'
> & { readonly channelTxnId?: ChannelTxnId }

/** A payment whose money may have gone back, and the collection that asks about it. */
export type AskedPayment = RefundRef & Pick<AskedPayAttempt, 'pk' | 'channel'>

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

/** What of a payment's money went back, asked in the same way. */
export interface RefundDesk {
  canQueryRefund(channel: ChannelId): boolean
  /** As {@link ChannelDesk.query}: one slot for all requests of the question. */
  queryRefund(payment: AskedPayment, pass?: number): Promise<AskedRefund>
}

export interface DeskDeps {
  readonly gate: Gate
  readonly now: () => Instant
  readonly sleep: (ms: number) => Promise<void>
  /** Known without the secret. */
  readonly abilities: (channel: ChannelId) => {
    readonly canQuery: boolean
    readonly canClose: boolean
    readonly canQueryRefund: boolean
  }
  readonly client: (channel: ChannelId) => Promise<ChannelClient>
  /** With keys fetched anew; `undefined` when they are still the same or it is too early to ask. */
  readonly clientAfresh: (channel: ChannelId) => Promise<ChannelClient | undefined>
}

/** What is asked about, for the gate's report. */
type Subject = Pick<AskedPayAttempt, 'pk' | 'channel'>
/** The call of a client, if it has it, about what is asked. */
type CallOf<Answer> = (client: ChannelClient) => (() => Promise<Answer>) | undefined

/** Opens the desk for the life of a Lambda environment. */
export function openChannelDesk(deps: DeskDeps): ChannelDesk & RefundDesk {
  const ask = async <Answer extends { readonly outcome: Outcome }>(
    subject: Subject,
    pass: number | undefined,
    call: CallOf<Answer>,
  ): Promise<AskedFor<Answer>> => {
    const { channel } = subject
    const send = call(await openClient(deps, channel, pass))
    if (send === undefined) return { kind: 'unsupported' }
    const epoch = pass ?? (await takeSlot(deps, channel))
    if (typeof epoch !== 'number') return { kind: 'parked', until: epoch.until }
    const startedMs = msOf(deps.now())
    const first = await send()
    const answer = first.outcome.kind === 'misconfigured' ? await askAfresh(channel, call, first) : first
    await deps.gate.report(channel, reportOf(subject, answer.outcome, epoch, msOf(deps.now()) - startedMs))
    return { kind: 'answer', answer }
  }
  /** A channel that refuses our key may have had it rotated a moment ago: asked once more, by another key only. */
  const askAfresh = async <Answer>(channel: ChannelId, call: CallOf<Answer>, first: Answer): Promise<Answer> => {
    const client = await deps.clientAfresh(channel)
    const send = client === undefined ? undefined : call(client)
    return send === undefined ? first : send()
  }
  return {
    canQuery: (channel) => deps.abilities(channel).canQuery,
    canClose: (channel) => deps.abilities(channel).canClose,
    canQueryRefund: (channel) => deps.abilities(channel).canQueryRefund,
    query: (attempt, pass) => ask(attempt, pass, ({ query }) => query && (() => query(refOf(attempt)))),
    close: (attempt, pass) => ask(attempt, pass, ({ close }) => close && (() => close(refOf(attempt)))),
    queryRefund: (payment, pass) =>
      ask(payment, pass, ({ queryRefund }) => queryRefund && (() => queryRefund(refundRefOf(payment)))),
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

function refundRefOf({ pk: _pk, channel: _channel, ...ref }: AskedPayment): RefundRef {
  return ref
}

function reportOf({ pk }: Subject, outcome: Outcome, epoch: number, latencyMs: number): CallReport {
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
