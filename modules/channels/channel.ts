import type { ChannelEvent } from '../core/channel-event.ts'
import type { ChannelId, ChannelTxnId, OutTradeNo } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import type { ChannelAccount } from './account.ts'

/** An HTTP request as received: header names in lower case, the body as the very bytes that were signed. */
export interface CallbackRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Why a callback was refused: a metric's dimension and a log field, never shown to the caller. */
export type RefusalReason =
  | 'missing-header'
  | 'malformed'
  | 'not-allowed'
  | 'bad-signature'
  | 'unknown-key'
  | 'out-of-tolerance'
  | 'undecryptable'
  | 'not-ours'

declare const proof: unique symbol

/** A callback whose signature, age and owner were checked. Only `proveVerified` makes one, so nothing parses what was not verified. */
export interface VerifiedCallback {
  readonly [proof]: true
  readonly channel: ChannelId
  /** When ingress received it; the age of a signature is judged against this, and only there. */
  readonly receivedAt: Instant
  /** Which of our keys matched: a serial, a key id, or the position in the list. */
  readonly keyId: string
  /** The headers that the channel's parser or an auditor needs, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /**
   * SHA-256, hex, of what was signed, where that is not the body's very bytes: one genuine notice can be spelt in many ways (blanks,
   * percent forms, empty parameters), and all of them are one.
   */
  readonly identity?: string
}

/**
 * Marks a callback as verified. Called by a channel's `verify` after its last check, and by `settle` for a message of its
 * own queue, which only ingress can write.
 */
export function proveVerified(facts: Omit<VerifiedCallback, typeof proof>): VerifiedCallback {
  return facts as VerifiedCallback
}

export type Verification =
  | { readonly ok: true; readonly verified: VerifiedCallback }
  | {
      readonly ok: false
      readonly reason: RefusalReason
      /** The serial or certificate that the message names, its form checked: shows a rotation in the log. Nobody vouches for it. */
      readonly keyName?: string
      /** What exactly is not taken, where the reason is wider: `SERVICE_PROVIDER_ORDER`. */
      readonly code?: string
      /** Test traffic of the channel (WeChat's SIGNTEST): refused without a mark or a page. */
      readonly probe?: true
    }

/** What the channel gets to read, to the byte. */
export interface ChannelAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The part of a channel on the ack path. `channels/<kind>/verify.ts` exports one; nothing else is imported by ingress.
 * `Keys` is what the channel's secret holds, current and previous.
 */
export interface CallbackVerifier<Account extends ChannelAccount, Keys> {
  /** @throws KeyFormatError naming the field that is wrong (never its value) */
  readKeys(secret: string): Keys
  /** Checks in the order of docs/channels/README.md, and stops at the first failure. Never throws on input. */
  verify(request: CallbackRequest, account: Account, keys: Keys, receivedAt: Instant): Verification
  readonly ack: ChannelAnswer
  readonly refusal: ChannelAnswer
}

/**
 * Verified and not readable: kept, and a ticket names the field. `eventId` is a digest where the notice has none. The numbers are
 * those that could be read: with them the ticket stands in the order's file, and the order does not close over unread money.
 */
export interface Unreadable {
  readonly eventId: string
  readonly field: string
  readonly problem: string
  readonly outTradeNo?: OutTradeNo
  readonly channelTxnId?: ChannelTxnId
  /** Our keys cannot open it, and others may: no news of the notice itself. */
  readonly isKeyFault?: boolean
  /** The notice is about money that may have come in. */
  readonly isMoney?: boolean
}

/** One notice may hold several facts, and one that cannot be read keeps none of its neighbours back. */
export type Parsed =
  | { readonly ok: true; readonly events: readonly ChannelEvent[]; readonly unreadable?: readonly Unreadable[] }
  | ({ readonly ok: false } & Unreadable)

/** `channels/<kind>/parse.ts` exports one. Keys are given because some channels encrypt the content. Never throws on input. */
export type CallbackParser<Account extends ChannelAccount, Keys> = (
  verified: VerifiedCallback,
  account: Account,
  keys: Keys,
) => Parsed
