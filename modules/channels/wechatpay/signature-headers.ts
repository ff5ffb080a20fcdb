import { parseUnixSeconds } from '../signed-time.ts'

export interface SignatureHeaders {
  readonly timestamp: string
  readonly signedSeconds: number
  readonly nonce: string
  readonly serial: string
  readonly signature: string
}

const SERIAL = /^[0-9A-Za-z_]{1,64}$/
/** No line break, which would move the border between nonce and body; no comma, which two joined headers leave. */
const NONCE = /^[\x21-\x2b\x2d-\x7e]{1,128}$/

/** The four headers that a signature needs, `missing` or `malformed`. Names in lower case. Source: docs/channels/wechatpay.md, Callback */
export function readSignatureHeaders(
  headers: Readonly<Record<string, string>>,
): SignatureHeaders | 'missing' | 'malformed' {
  const timestamp = headers['wechatpay-timestamp']
  const nonce = headers['wechatpay-nonce']
  const serial = headers['wechatpay-serial']
  const signature = headers['wechatpay-signature']
  if (timestamp === undefined || nonce === undefined || serial === undefined || signature === undefined) {
    return 'missing'
  }
  const signedSeconds = parseUnixSeconds(timestamp)
  const isPlain = NONCE.test(nonce) && SERIAL.test(serial) && !signature.includes(',')
  return isPlain && signedSeconds !== undefined ? { timestamp, signedSeconds, nonce, serial, signature } : 'malformed'
}
