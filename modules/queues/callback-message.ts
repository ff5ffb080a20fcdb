import type { ChannelId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'

/** What ingress queues of one verified callback. The only type that another folder takes from here. Source: docs/design/messages.md */
export interface CallbackMessage {
  readonly v: 1
  readonly channel: ChannelId
  readonly receivedAt: Instant
  /** Which of our keys matched. */
  readonly keyId: string
  /** The headers that parsing or an audit needs; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBase64: string
  /** Hex: of the body, or of what was signed where one signature fits many spellings of it. Part of the callback's key. */
  readonly bodySha256: string
}
