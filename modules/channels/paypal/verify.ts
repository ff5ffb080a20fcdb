import type { X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Instant, msOf, parseInstant } from '../../core/instant.ts'
import type { PaypalAccount } from '../account.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import { isJsonObject, parseJsonObject } from '../json.ts'
import { isSignedBy } from '../rsa.ts'
import { TOLERANCE_MS } from '../signed-time.ts'
import type { CertificateCache } from './certificate-cache.ts'
import { trustedKeyOf } from './certificate-chain.ts'
import { type PaypalKeys, readPaypalKeys } from './keys.ts'
import { checkTransmission } from './transmission.ts'

/** PayPal may send for three days, and whether a repeat has a new time is not certain. Source: docs/channels/paypal.md, Callback */
export const MAX_AGE_MS = 3 * 24 * 3600 * 1000

/**
 * PayPal's callback check. The certificate must have been fetched before (`certificates.prepare`): without it the answer is
 * `unknown-key`, and PayPal sends again.
 * What is signed is a CRC-32 of the body, which is no cryptographic hash: a genuine message can be altered under its signature.
 * So a verified one is a hint, and amount and status come from a query.
 * Source: docs/channels/paypal.md, Callback
 */
export function paypalVerifier(
  certificates: CertificateCache,
  roots: () => readonly X509Certificate[],
): CallbackVerifier<PaypalAccount, PaypalKeys> {
  return {
    readKeys: readPaypalKeys,
    ack: { status: 200, headers: {}, body: '' },
    refusal: { status: 400, headers: {}, body: '' },
    verify(request, account, _keys, receivedAt) {
      const transmission = checkTransmission(request.headers, account)
      if (typeof transmission === 'string') return { ok: false, reason: transmission }
      const { id, time, signature, certificateUrl } = transmission

      const key = trustedKeyOf(certificates.get(certificateUrl) ?? [], roots(), receivedAt)
      if (key === undefined) return { ok: false, reason: 'unknown-key' }
      const message = `${id}|${time}|${account.webhookId}|${crc32(request.body)}`
      if (!isSignedBy(key, Buffer.from(message), signature)) return { ok: false, reason: 'bad-signature' }
      if (!isRecent(time, receivedAt)) return { ok: false, reason: 'out-of-tolerance' }
      if (!isOurs(request.body, account)) return { ok: false, reason: 'not-ours' }
      return prove(request, account, certificateUrl, receivedAt)
    },
  }
}

function prove(
  { headers, body }: CallbackRequest,
  account: PaypalAccount,
  certificateUrl: string,
  receivedAt: Instant,
): Verification {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('paypal-'))
  const keyId = certificateUrl.slice(certificateUrl.lastIndexOf('/') + 1)
  const facts = { channel: account.id, receivedAt, keyId, headers: Object.fromEntries(kept), body }
  return { ok: true, verified: proveVerified(facts) }
}

function isRecent(time: string, receivedAt: Instant): boolean {
  const signedAt = parseInstant(time)
  const ageMs = signedAt === undefined ? Number.NaN : msOf(receivedAt) - msOf(signedAt)
  return ageMs >= -TOLERANCE_MS && ageMs <= MAX_AGE_MS
}

// The webhook id, which is signed, names the app; the payee is named in captures only.
function isOurs(body: Buffer, { merchantId }: PaypalAccount): boolean {
  const resource = parseJsonObject(body)?.['resource']
  const payee = isJsonObject(resource) ? resource['payee'] : undefined
  const named = isJsonObject(payee) ? payee['merchant_id'] : undefined
  return merchantId === undefined || named === undefined || named === merchantId
}
