import { readFileSync } from 'node:fs'
import type { CallbackRequest, RefusalReason } from '../../modules/channels/channel.ts'
import type { ChannelEventKind } from '../../modules/core/channel-event.ts'
import { type Instant, instantOf } from '../../modules/core/instant.ts'

export interface VectorCase {
  readonly id: string
  readonly title: string
  readonly now: number
  readonly config_override?: Readonly<Record<string, unknown>>
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
  readonly gateway_event?: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly isBase64Encoded: boolean
  }
  readonly expect: {
    /** Absent where the file only speaks of the signature. */
    readonly accept?: boolean
    readonly reason?: string
    readonly ack_status?: readonly number[]
    readonly ack_body?: string
    readonly decoded?: Readonly<Record<string, string>>
    readonly parsed?: {
      readonly merchant_order_no?: string
      readonly channel_transaction_id?: string
      readonly status?: string
      readonly amount_minor?: number
      readonly refunded_total_minor?: number
      readonly currency?: string
      readonly paid_at?: string
      readonly event_id?: string
      readonly channel_refund_id?: string
    }
    /** Where one message carries several notices. */
    readonly items?: readonly {
      readonly merchant_order_no?: string
      readonly channel_transaction_id?: string
      readonly channel_refund_id?: string
      readonly status: string
      readonly amount_minor?: number
      readonly amount_decimal?: string
      readonly currency?: string
    }[]
    readonly signed_strings?: readonly string[]
  }
}

export interface VectorFile {
  readonly config: Readonly<Record<string, unknown>>
  readonly cases: readonly VectorCase[]
  readonly cert_urls?: readonly { readonly url: string; readonly allowed: boolean; readonly note?: string }[]
  readonly crc32?: readonly { readonly text: string; readonly crc32: number }[]
  readonly aead?: readonly {
    readonly id: string
    readonly key: string
    readonly nonce: string
    readonly associated_data: string
    readonly ciphertext_base64: string
    readonly plaintext: string | null
  }[]
}

export function readVectors(channel: string): VectorFile {
  return JSON.parse(readFileSync(new URL(`../fixtures/${channel}/vectors.json`, import.meta.url), 'utf8')) as VectorFile
}

/** The message as the sender wrote it and, where the file has that form, as API Gateway hands it over. */
export function requestsOf({
  request,
  gateway_event: event,
}: VectorCase): readonly (readonly [string, CallbackRequest])[] {
  const lowerCased = Object.fromEntries(
    Object.entries(request.headers).map(([name, text]) => [name.toLowerCase(), text]),
  )
  const asSent = ['as sent', { headers: lowerCased, body: Buffer.from(request.body) }] as const
  if (event === undefined) return [asSent]
  const body = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')
  return [asSent, ['through API Gateway', { headers: event.headers, body }]]
}

export function receivedAtOf(vector: VectorCase): Instant {
  return instantOf(vector.now * 1000)
}

export const REASONS: Readonly<Record<string, RefusalReason>> = {
  bad_signature: 'bad-signature',
  missing_signature: 'missing-header',
  missing_header: 'missing-header',
  malformed_header: 'malformed',
  malformed_timestamp: 'malformed',
  duplicate_parameter: 'malformed',
  no_v1: 'not-allowed',
  sign_type_not_allowed: 'not-allowed',
  not_apiv3: 'not-allowed',
  timestamp_out_of_tolerance: 'out-of-tolerance',
  unknown_serial: 'unknown-key',
  decrypt_failed: 'undecryptable',
  livemode_mismatch: 'not-ours',
  app_id_mismatch: 'not-ours',
  seller_id_mismatch: 'not-ours',
  mchid_mismatch: 'not-ours',
  merchant_account_mismatch: 'not-ours',
  live_mismatch: 'not-ours',
  cert_url_not_allowed: 'not-allowed',
  algo_not_allowed: 'not-allowed',
  untrusted_certificate: 'unknown-key',
}

export const KINDS: Readonly<Record<string, ChannelEventKind>> = {
  paid: 'payment',
  closed: 'closed',
  refund_partial: 'refund',
  refund_success: 'refund',
  refund_abnormal: 'refund',
  authorised: 'payment',
  refund_accepted: 'refund',
}
