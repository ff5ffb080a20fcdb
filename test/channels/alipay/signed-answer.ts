import { generateKeyPairSync, sign } from 'node:crypto'
import type { AlipayAccount } from '../../../modules/channels/account.ts'
import { closeAlipay } from '../../../modules/channels/alipay/close.ts'
import { readAlipayKeys } from '../../../modules/channels/alipay/keys.ts'
import { queryAlipay } from '../../../modules/channels/alipay/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering, aRef } from '../client-setup.ts'
import { CHANNEL } from '../message-setup.ts'

export const ALIPAY = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const APP = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const ACCOUNT: AlipayAccount = {
  kind: 'alipay',
  id: CHANNEL,
  appId: '2026000100010001',
  sellerId: '2088000000000001',
}
export const CLIENT_SECRET = JSON.stringify({
  alipayPublicKeys: [ALIPAY.publicKey.export({ format: 'pem', type: 'spki' })],
  appPrivateKey: APP.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
})
export const KEYS = readAlipayKeys(CLIENT_SECRET)

export function signatureOf(inner: string): string {
  return sign('sha256', Buffer.from(inner), ALIPAY.privateKey).toString('base64')
}

/** An answer of the gateway, signed over the raw text `inner`. */
export function signedText(method: 'query' | 'close', inner: string): HttpResult {
  return anAnswer(200, `{"alipay_trade_${method}_response":${inner},"sign":"${signatureOf(inner)}"}`)
}

export function signedAnswer(method: 'query' | 'close', content: Readonly<Record<string, unknown>>): HttpResult {
  return signedText(method, JSON.stringify(content))
}

export const TRADE = {
  code: '10000',
  msg: 'Success',
  out_trade_no: 'ORDER_0001',
  trade_no: '2026110222001400000000000001',
  trade_status: 'TRADE_SUCCESS',
  total_amount: '100.00',
  receipt_amount: '90.00',
  send_pay_date: '2026-11-02 09:59:57',
}

export function trade(changes: Readonly<Record<string, unknown>> = {}): HttpResult {
  return signedAnswer('query', { ...TRADE, ...changes })
}

export function refusal(method: 'query' | 'close', code: string, subCode?: string): HttpResult {
  return signedAnswer(method, { code, msg: 'Business Failed', sub_code: subCode, sub_msg: '交易 13800138000 不存在' })
}

export function query(ref = aRef(), ...results: readonly HttpResult[]) {
  return queryAlipay(ref, ACCOUNT, KEYS, answering(...results))
}

export function close(ref = aRef(), ...results: readonly HttpResult[]) {
  return closeAlipay(ref, ACCOUNT, KEYS, answering(...results))
}
