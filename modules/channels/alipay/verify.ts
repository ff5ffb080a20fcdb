import type { Instant } from '../../core/instant.ts'
import type { AlipayAccount } from '../account.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import { isSignedBy } from '../rsa.ts'
import { asciiOf, type Form, parseForm } from './form.ts'
import { type AlipayKeys, readAlipayKeys } from './keys.ts'
import { cutOf, identityOf, isNotice, signedStringsOf } from './signed-string.ts'

/** Alipay's callback check. Source: docs/channels/alipay.md, Callback */
export const alipayVerifier: CallbackVerifier<AlipayAccount, AlipayKeys> = {
  readKeys: readAlipayKeys,
  verify: verifyAlipay,
  // Seven characters and nothing else: a newline more and the notice is sent for another day.
  ack: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'success' },
  refusal: { status: 400, headers: { 'content-type': 'text/plain' }, body: 'fail' },
}

function verifyAlipay(
  request: CallbackRequest,
  account: AlipayAccount,
  keys: AlipayKeys,
  receivedAt: Instant,
): Verification {
  const form = parseForm(request.body)
  if (form === undefined) return { ok: false, reason: 'malformed' }
  const sign = asciiOf(form, 'sign')
  if (sign === undefined) return { ok: false, reason: 'missing-header' }
  // sign_type is outside the signature: believing it would let the sender choose SHA-1.
  if (asciiOf(form, 'sign_type') !== 'RSA2' || !isNotice(form)) return { ok: false, reason: 'not-allowed' }
  if (cutOf(form) === 'recut') return { ok: false, reason: 'malformed' }

  const messages = signedStringsOf(form)
  const position = keys.alipayPublicKeys.findIndex((key) => messages.some((message) => isSignedBy(key, message, sign)))
  if (position === -1) return { ok: false, reason: 'bad-signature', ...certificateIn(form) }
  // No age: the protocol has no signed time, and a genuine repeat may be 25 hours old.
  if (asciiOf(form, 'app_id') !== account.appId || asciiOf(form, 'seller_id') !== account.sellerId) {
    return { ok: false, reason: 'not-ours' }
  }
  return {
    ok: true,
    verified: proveVerified({
      channel: account.id,
      receivedAt,
      keyId: String(position),
      headers: {},
      body: request.body,
      identity: identityOf(form),
    }),
  }
}

const CERTIFICATE_SN = /^[0-9a-f]{32}$/i

/** In certificate mode a message may name Alipay's certificate: a new one there says that ours is over. */
function certificateIn(form: Form): { readonly keyName?: string } {
  const keyName = asciiOf(form, 'alipay_cert_sn')
  return keyName !== undefined && CERTIFICATE_SN.test(keyName) ? { keyName } : {}
}
