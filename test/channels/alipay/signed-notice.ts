import { createSign, generateKeyPairSync } from 'node:crypto'
import type { AlipayAccount } from '../../../modules/channels/account.ts'
import { parseAlipay } from '../../../modules/channels/alipay/parse.ts'
import { alipayVerifier } from '../../../modules/channels/alipay/verify.ts'
import type { CallbackRequest, Parsed } from '../../../modules/channels/channel.ts'
import { CHANNEL, NOW, requestOf, verifiedOf } from '../message-setup.ts'

export const PAIR = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const PUBLIC_PEM = PAIR.publicKey.export({ format: 'pem', type: 'spki' }).toString()
export const ACCOUNT: AlipayAccount = {
  kind: 'alipay',
  id: CHANNEL,
  appId: '2026000100010001',
  sellerId: '2088000000000001',
}
export const KEYS = alipayVerifier.readKeys(JSON.stringify({ alipayPublicKeys: [PUBLIC_PEM] }))

export type Parameters = Readonly<Record<string, string>>

export const PAYMENT: Parameters = {
  app_id: ACCOUNT.appId,
  seller_id: ACCOUNT.sellerId,
  charset: 'utf-8',
  notify_id: '2026110200222095847000000000000001',
  notify_time: '2026-11-02 09:59:58',
  notify_type: 'trade_status_sync',
  trade_no: '2026110222001400000000000001',
  out_trade_no: 'ORDER_0001',
  trade_status: 'TRADE_SUCCESS',
  total_amount: '88.00',
  gmt_payment: '2026-11-02 09:59:57',
  subject: 'A+B & C=D 100% 测试',
}

/** The body with `sign` over the given parameters, written from Alipay's description: sorted, unquoted, in UTF-8. */
export function signForm(parameters: Parameters, algorithm = 'RSA-SHA256'): Record<string, string> {
  const text = Object.keys(parameters)
    .toSorted()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&')
  return { ...parameters, sign_type: 'RSA2', sign: createSign(algorithm).update(text).sign(PAIR.privateKey, 'base64') }
}

export function encode(parameters: Parameters): CallbackRequest {
  return requestOf({}, new URLSearchParams(parameters).toString())
}

export function verify(request: CallbackRequest, account: AlipayAccount = ACCOUNT) {
  return alipayVerifier.verify(request, account, KEYS, NOW)
}

export function parse(parameters: Parameters): Parsed {
  return parseAlipay(verifiedOf(verify(encode(signForm(parameters)))), ACCOUNT, KEYS)
}
