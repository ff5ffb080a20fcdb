import { createSign } from 'node:crypto'
import { closeWechatpay } from '../../../modules/channels/wechatpay/close.ts'
import { readWechatpayKeys } from '../../../modules/channels/wechatpay/keys.ts'
import { queryWechatpay } from '../../../modules/channels/wechatpay/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering, aRef } from '../client-setup.ts'
import { NOW_SECONDS } from '../message-setup.ts'
import { ACCOUNT, PAIR, SECRET, SERIAL, TRANSACTION } from './signed-notice.ts'

export const PRIVATE_PEM = PAIR.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
export const CLIENT_SECRET = JSON.stringify({ ...SECRET, merchantSerial: 'ABC123', merchantPrivateKey: PRIVATE_PEM })
export const KEYS = readWechatpayKeys(CLIENT_SECRET)

/** An answer of the API, signed as WeChat Pay signs every 2xx. */
export function signedAnswer(status: number, body: string, seconds = NOW_SECONDS): HttpResult {
  const signature = createSign('RSA-SHA256').update(`${seconds}\nN0NCE\n${body}\n`).sign(PAIR.privateKey, 'base64')
  return anAnswer(status, body, {
    'wechatpay-timestamp': String(seconds),
    'wechatpay-nonce': 'N0NCE',
    'wechatpay-serial': SERIAL,
    'wechatpay-signature': signature,
  })
}

/** The same with a probe's signature in the place of the right one. */
export function probe(status: number, body: string): HttpResult {
  const answer = signedAnswer(status, body)
  if (answer.kind !== 'answer') return answer
  const { 'wechatpay-signature': _, ...headers } = answer.headers
  return { ...answer, headers: { ...headers, 'wechatpay-signature': 'WECHATPAY/SIGNTEST/abcdef' } }
}

export function transaction(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...TRANSACTION, ...changes })
}

export function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): HttpResult {
  return anAnswer(status, JSON.stringify({ code, message: 'a text for 13800138000' }), headers)
}

export function query(ref = aRef(), ...results: readonly HttpResult[]) {
  return queryWechatpay(ref, ACCOUNT, KEYS, answering(...results))
}

export function close(ref = aRef(), ...results: readonly HttpResult[]) {
  return closeWechatpay(ref, ACCOUNT, KEYS, answering(...results))
}
