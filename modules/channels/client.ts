import type { ChannelEvent } from '../core/channel-event.ts'
import type { ChannelTxnId, OutTradeNo } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import type { Money } from '../core/money.ts'
import type { Outcome } from '../core/outcome.ts'
import type { SendRequest } from '../outgoing/http/send-request.ts'

/**
 * Where a payAttempt stands at its channel.
 * - `paid`: money came in · `closed`: the channel takes no money for it any more
 * - `closable`: not paid; close it at the channel, or here where the channel has no close
 * - `moving`: money is under way: wait · `unknown`: no definite answer: never close
 * Source: docs/channels/README.md, Words for states
 */
export type ChannelState = 'paid' | 'closed' | 'closable' | 'moving' | 'unknown'

/** What a client needs to know of a payAttempt. */
export interface PayAttemptRef {
  readonly outTradeNo: OutTradeNo
  /** The channel's object for this try: Stripe `pi_…`, PayPal's order id. */
  readonly channelRef?: string
  /** A payment that a hint named. Only PayPal is asked by it, when there is no channelRef; the answer must name our number. */
  readonly channelTxnId?: ChannelTxnId
  readonly money: Money
  readonly expiresAt: Instant
  readonly createdAt: Instant
}

/**
 * A channel's answer to "what became of it". `outcome` is `done` for `paid` and `closed`, else `notYet`, and never final because of
 * a text outside the channel's table, a 5xx, or an answer that is cut or not signed. `event` is a fact for the decision table. `paid`
 * without an event and with code `PAID_THEN_REFUNDED` neither closes nor delivers.
 * Source: docs/channels/README.md, Words for states
 */
export interface QueryAnswer {
  readonly outcome: Outcome
  readonly state: ChannelState
  readonly event?: ChannelEvent
}

/**
 * What closing came to; the state is that *after* the call. `closed` is `done`, with the `closed` event unless the channel never
 * knew the number (code `NEVER_CREATED`, after expiry and grace). `closable` after a close means that nothing more can be done
 * there (expired, or Adyen's answer comes by webhook): the ledger may close.
 */
export type CloseAnswer = QueryAnswer

export interface ClientDeps {
  readonly http: SendRequest
  readonly nowMs: () => number
  /** A fresh random text of 32 letters and digits, per request. */
  readonly nonce: () => string
}

/** `channels/<kind>/query.ts` exports one where the channel can be asked. Never throws on an answer. */
export type QueryPayment<Account, Keys> = (
  ref: PayAttemptRef,
  account: Account,
  keys: Keys,
  deps: ClientDeps,
) => Promise<QueryAnswer>

/** A payment whose money may have gone back: its own number, or that of an object of the channel's that leads to it. */
export interface RefundRef {
  readonly channelTxnId: ChannelTxnId
  /** What the answer must name, where it names a number of ours at all. */
  readonly outTradeNo?: OutTradeNo
  /** Movements that hints named, asked for by themselves where the payment does not list them. */
  readonly refundIds?: readonly string[]
  readonly disputeIds?: readonly string[]
}

/**
 * All that the channel knows of a payment's money that went back: facts with `undo`, of one channelTxnId. `outcome` is `done` when
 * that is all of it, also when nothing went back; else the events that there are hold, and more may be known.
 */
export interface RefundAnswer {
  readonly outcome: Outcome
  readonly events: readonly ChannelEvent[]
  /** That the payment was made, whatever went back of it since: nobody may have told it yet. */
  readonly payment?: ChannelEvent
}

/** The channel does not know what a hint named: forged, or not there yet. */
export const NOT_THERE = 'RESOURCE_MISSING'

/** `channels/<kind>/query-refund.ts` exports one where the channel can be asked. Never throws on an answer. */
export type QueryRefund<Account, Keys> = (
  ref: RefundRef,
  account: Account,
  keys: Keys,
  deps: ClientDeps,
) => Promise<RefundAnswer>

/** `channels/<kind>/close.ts` exports one where the channel can close. Never throws on an answer. */
export type ClosePayment<Account, Keys> = (
  ref: PayAttemptRef,
  account: Account,
  keys: Keys,
  deps: ClientDeps,
) => Promise<CloseAnswer>

/** After a payAttempt's own expiry the channel may still be finishing. Source: docs/channels/README.md, Words for states */
export const EXPIRY_GRACE_MS = 5 * 60 * 1000
