import { type KeyObject, sign } from 'node:crypto'

/** One request as WeChat Pay wants it signed: the path with its query as it is sent, and the body's text ('' for GET). */
export interface RequestToSign {
  readonly method: string
  readonly pathWithQuery: string
  readonly timestampS: number
  readonly nonce: string
  readonly body: string
}

/** What is signed: five lines, each with its line feed. Source: docs/channels/wechatpay.md, Query */
export function messageOfRequest({ method, pathWithQuery, timestampS, nonce, body }: RequestToSign): string {
  return `${method}\n${pathWithQuery}\n${timestampS}\n${nonce}\n${body}\n`
}

/** The `Authorization` header; `serial` is that of the merchant's certificate. Source: docs/channels/wechatpay.md, Query */
export function authorizationOf(request: RequestToSign, mchId: string, serial: string, key: KeyObject): string {
  const signature = sign('sha256', Buffer.from(messageOfRequest(request)), key).toString('base64')
  const parts = { mchid: mchId, nonce_str: request.nonce, signature, timestamp: request.timestampS, serial_no: serial }
  const listed = Object.entries(parts).map(([name, value]) => `${name}="${value}"`)
  return `WECHATPAY2-SHA256-RSA2048 ${listed.join(',')}`
}
