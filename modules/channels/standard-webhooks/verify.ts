import { verify as verifyEd25519 } from 'node:crypto'
import type { Instant } from '../../core/instant.ts'
import type { StandardWebhooksAccount } from '../account.ts'
import { decodeBase64 } from '../base64.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import { matchHmac, SHA256_BYTES } from '../hmac.ts'
import { isWithinTolerance, parseUnixSeconds } from '../signed-time.ts'
import { readStandardWebhooksKeys, type StandardWebhooksKeys } from './keys.ts'

/** Check of a Standard Webhooks sender. Source: docs/channels/standard-webhooks.md, Callback */
export const standardWebhooksVerifier: CallbackVerifier<StandardWebhooksAccount, StandardWebhooksKeys> = {
  readKeys: readStandardWebhooksKeys,
  verify: verifyStandardWebhook,
  ack: { status: 200, headers: {}, body: '' },
  refusal: { status: 400, headers: {}, body: '' },
}

const ED25519_BYTES = 64
/** No dot, which would let the id and the time trade places in what is signed; no comma, which two joined headers leave. */
const WEBHOOK_ID = /^[\x21-\x2b\x2d\x2f-\x7e]{1,256}$/
/** One per active key; each costs a comparison, or a curve's arithmetic, for each key of ours. */
export const MAX_SIGNATURES = 20
const LIST_ITEM = /^([^,]+),([^,]+)$/

function verifyStandardWebhook(
  request: CallbackRequest,
  account: StandardWebhooksAccount,
  keys: StandardWebhooksKeys,
  receivedAt: Instant,
): Verification {
  const id = request.headers['webhook-id']
  const timestamp = request.headers['webhook-timestamp']
  const list = request.headers['webhook-signature']
  if (id === undefined || timestamp === undefined || list === undefined) return { ok: false, reason: 'missing-header' }
  const signedSeconds = parseUnixSeconds(timestamp)
  const signatures = parseSignatures(list, account.scheme)
  if (!WEBHOOK_ID.test(id) || signedSeconds === undefined || signatures === undefined) {
    return { ok: false, reason: 'malformed' }
  }
  const ours = account.scheme === 'v1' ? keys.secrets : keys.publicKeys
  if (ours.length === 0) return { ok: false, reason: 'unknown-key' }

  const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), request.body])
  const position = matchKey(account.scheme, keys, message, signatures)
  if (position === undefined) return { ok: false, reason: 'bad-signature' }
  if (!isWithinTolerance(signedSeconds, receivedAt)) return { ok: false, reason: 'out-of-tolerance' }
  return {
    ok: true,
    verified: proveVerified({
      channel: account.id,
      receivedAt,
      keyId: `${account.scheme}-${position}`,
      headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list },
      body: request.body,
    }),
  }
}

/**
 * The signatures of the account's own scheme out of `v1,<base64> v1a,<base64> …`; other versions are skipped.
 * Two headers joined by a comma leave an item with more than one comma: malformed, never a rotation.
 */
function parseSignatures(list: string, scheme: string): readonly Buffer[] | undefined {
  const parts = list.split(' ', MAX_SIGNATURES + 1)
  if (parts.length > MAX_SIGNATURES) return undefined
  const items = parts.map((item) => LIST_ITEM.exec(item))
  if (items.includes(null)) return undefined
  const length = scheme === 'v1' ? SHA256_BYTES : ED25519_BYTES
  return items
    .filter((item) => item?.[1] === scheme)
    .map((item) => decodeBase64(item?.[2] ?? '', length))
    .filter((bytes) => bytes !== undefined)
}

// A version binds its algorithm, so an HMAC under v1a, or the reverse, meets keys that cannot match it.
function matchKey(
  scheme: 'v1' | 'v1a',
  keys: StandardWebhooksKeys,
  message: Buffer,
  signatures: readonly Buffer[],
): number | undefined {
  if (scheme === 'v1') return matchHmac(keys.secrets, [message], signatures)
  const position = keys.publicKeys.findIndex((key) =>
    signatures.some((signature) => verifyEd25519(null, message, key, signature)),
  )
  return position === -1 ? undefined : position
}
