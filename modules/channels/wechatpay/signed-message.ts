import { isSignedBy, type RsaPublicKey } from '../rsa.ts'
import type { SignatureHeaders } from './signature-headers.ts'

/**
 * Signatures that start so are deliberate forgeries, on callbacks and on API answers.
 * Source: docs/channels/wechatpay.md, Keys and certificates
 */
export function isProbe(signature: string | undefined): boolean {
  return signature?.startsWith('WECHATPAY/SIGNTEST/') === true
}

/**
 * Time, nonce and raw body, each followed by a line feed: alike on callbacks and API answers.
 * Source: docs/channels/wechatpay.md, Callback
 */
export function isMessageSigned(key: RsaPublicKey, headers: SignatureHeaders, body: Buffer): boolean {
  const message = Buffer.concat([Buffer.from(`${headers.timestamp}\n${headers.nonce}\n`), body, Buffer.from('\n')])
  return isSignedBy(key, message, headers.signature)
}
