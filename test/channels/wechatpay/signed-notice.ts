import { createCipheriv, createSign, generateKeyPairSync } from 'node:crypto'
import type { WechatpayAccount } from '../../../modules/channels/account.ts'
import type { CallbackRequest, Parsed } from '../../../modules/channels/channel.ts'
import { parseWechatpay } from '../../../modules/channels/wechatpay/parse.ts'
import { wechatpayVerifier } from '../../../modules/channels/wechatpay/verify.ts'
import { CHANNEL, NOW, NOW_SECONDS, requestOf, verifiedOf } from '../message-setup.ts'

export const PAIR = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const PUBLIC_PEM = PAIR.publicKey.export({ format: 'pem', type: 'spki' }).toString()
export const SERIAL = 'PUB_KEY_ID_0110000000002026110200000000000009'
export const API_V3_KEY = 'TestOnlyApiV3Key0123456789abcdef'
export const ACCOUNT: WechatpayAccount = {
  kind: 'wechatpay',
  id: CHANNEL,
  appId: 'wx0000000000000001',
  mchId: '1900000001',
}
export const SECRET = { apiV3Keys: [API_V3_KEY], platformKeys: { [SERIAL]: PUBLIC_PEM } }
export const KEYS = wechatpayVerifier.readKeys(JSON.stringify(SECRET))

type Json = Readonly<Record<string, unknown>>

export const TRANSACTION = {
  appid: ACCOUNT.appId,
  mchid: ACCOUNT.mchId,
  out_trade_no: 'ORDER_0001',
  transaction_id: '4200000000202611020000000001',
  trade_state: 'SUCCESS',
  success_time: '2026-11-02T09:59:57+08:00',
  amount: { total: 10000, payer_total: 9000, currency: 'CNY', payer_currency: 'CNY' },
}
export const REFUND = {
  mchid: ACCOUNT.mchId,
  out_trade_no: 'ORDER_0001',
  transaction_id: '4200000000202611020000000001',
  out_refund_no: `R${'A2'.repeat(12)}B`,
  refund_id: '50300000000202611020000000001',
  refund_status: 'SUCCESS',
  success_time: '2026-11-02T09:59:57+08:00',
  amount: { total: 10000, refund: 1000, payer_total: 9000, payer_refund: 900 },
}

export function seal(content: string, key = API_V3_KEY) {
  const cipher = createCipheriv('aes-256-gcm', key, 'nonce-of-12b')
  cipher.setAAD(Buffer.from('transaction'))
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
  return {
    algorithm: 'AEAD_AES_256_GCM',
    nonce: 'nonce-of-12b',
    associated_data: 'transaction',
    ciphertext: sealed.toString('base64'),
  }
}

export function aNotice(type: string, content: Json, key = API_V3_KEY): string {
  return JSON.stringify({ id: 'EV-1', event_type: type, resource: seal(JSON.stringify(content), key) })
}

/** A request signed by the described rule: time, nonce and body, each followed by a line feed. */
export function sign(body: string | Buffer, seconds: number = NOW_SECONDS, nonce = 'N0NCE'): CallbackRequest {
  const signer = createSign('RSA-SHA256').update(`${seconds}\n${nonce}\n`).update(body).update('\n')
  return requestOf(
    {
      'wechatpay-timestamp': String(seconds),
      'wechatpay-nonce': nonce,
      'wechatpay-serial': SERIAL,
      'wechatpay-signature': signer.sign(PAIR.privateKey, 'base64'),
      'wechatpay-signature-type': 'WECHATPAY2-SHA256-RSA2048',
    },
    body,
  )
}

export function verify(request: CallbackRequest, account: WechatpayAccount = ACCOUNT, keys = KEYS) {
  return wechatpayVerifier.verify(request, account, keys, NOW)
}

export function parse(type: string, content: Json): Parsed {
  return parseWechatpay(verifiedOf(verify(sign(aNotice(type, content)))), ACCOUNT, KEYS)
}
