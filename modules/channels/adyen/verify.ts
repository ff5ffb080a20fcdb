import { createHash } from 'node:crypto'
import type { Instant } from '../../core/instant.ts'
import type { AdyenAccount } from '../account.ts'
import { decodeBase64 } from '../base64.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import { matchHmac, SHA256_BYTES } from '../hmac.ts'
import { type AdyenKeys, readAdyenKeys } from './keys.ts'
import { type AdyenItem, readAdyenMessage } from './read-items.ts'

/** Adyen's callback check (standard webhook). Source: docs/channels/adyen.md, Callback */
export const adyenVerifier: CallbackVerifier<AdyenAccount, AdyenKeys> = {
  readKeys: readAdyenKeys,
  verify: verifyAdyen,
  // Any 2xx does; accounts of before 2023 still look for this text.
  ack: { status: 200, headers: { 'content-type': 'text/plain' }, body: '[accepted]' },
  refusal: { status: 401, headers: {}, body: '' },
}

function verifyAdyen(
  request: CallbackRequest,
  account: AdyenAccount,
  keys: AdyenKeys,
  receivedAt: Instant,
): Verification {
  const message = readAdyenMessage(request.body)
  if (message === undefined) return { ok: false, reason: 'malformed' }
  if (message.items.some((item) => item.hmacSignature === undefined)) return { ok: false, reason: 'missing-header' }
  // One bad item refuses the whole message: Adyen sends all of it again.
  const positions = message.items.map((item) => matchItem(item, keys))
  const keyId = positions[0]
  if (keyId === undefined || positions.includes(undefined)) return { ok: false, reason: 'bad-signature' }
  // No age: nothing signed has a time, and a genuine repeat may be 30 days old.
  const isOurs =
    message.live === String(account.live) &&
    message.items.every((item) => account.merchantAccounts.includes(item.merchantAccountCode))
  if (!isOurs) return { ok: false, reason: 'not-ours' }
  return {
    ok: true,
    verified: proveVerified({
      channel: account.id,
      receivedAt,
      keyId: String(keyId),
      headers: {},
      body: request.body,
      identity: identityOf(message.items),
    }),
  }
}

function matchItem(item: AdyenItem, { hmacKeys }: AdyenKeys): number | undefined {
  const signature = decodeBase64(item.hmacSignature ?? '', SHA256_BYTES)
  return signature === undefined ? undefined : matchHmac(hmacKeys, [signedStringOf(item)], [signature])
}

/** The eight signed fields, joined as they are. Source: docs/channels/adyen.md, Callback */
export function signedStringOf(item: AdyenItem): string {
  const { pspReference, originalReference, merchantAccountCode, merchantReference } = item
  const { value, currency, eventCode, success } = item
  return [
    pspReference,
    originalReference,
    merchantAccountCode,
    merchantReference,
    value,
    currency,
    eventCode,
    success,
  ].join(':')
}

/**
 * SHA-256, hex, of what the signatures cover: the same however the JSON is spaced and escaped, in whatever order its names and items
 * stand, and whatever is put into its unsigned fields or sent twice in one message.
 */
function identityOf(items: readonly AdyenItem[]): string {
  const hash = createHash('sha256')
  // No item's text can pass for two: the length stands before it.
  for (const text of [...new Set(items.map(signedStringOf))].sort()) hash.update(`${text.length}:${text}`)
  return hash.digest('hex')
}
