import { randomBytes } from 'node:crypto'
import { signRsa } from '../rsa.ts'

export interface SigningKey {
  /** PEM */
  readonly key: string
  readonly serial: string
}

/**
 * The headers of a message from WeChat Pay: over time, nonce and body, each followed by a line feed.
 * Source: docs/channels/wechatpay.md, Callback
 */
export function signHeaders({ key, serial }: SigningKey, body: string, nowMs: number) {
  const timestamp = String(Math.floor(nowMs / 1000))
  const nonce = randomBytes(16).toString('hex')
  return {
    'wechatpay-nonce': nonce,
    'wechatpay-serial': serial,
    'wechatpay-signature': signRsa(key, `${timestamp}\n${nonce}\n${body}\n`),
    'wechatpay-signature-type': 'WECHATPAY2-SHA256-RSA2048',
    'wechatpay-timestamp': timestamp,
  }
}
