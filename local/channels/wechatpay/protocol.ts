import { createCipheriv, randomBytes } from 'node:crypto'
import type { WechatpayAccount } from '../../../functions/channels/account.ts'
import { beijingDay } from '../beijing.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import { damage, type Protocol } from '../protocol.ts'
import { makeRsaKey, publicPemOf } from '../rsa.ts'
import { answerWechatpay, refuseWechatpay } from './api.ts'
import { signHeaders } from './sign-headers.ts'
import { toTransaction } from './transaction.ts'

const MINUTE = 60_000
/** 15 s, 15 s, 30 s, 3 min, 10 min, 20 min, 30 min ×3, 60 min, 3 h ×3, 6 h ×2: 24 h 4 min. Source: channels.md 3.2 */
const RESEND_AFTER_MS = [0.25, 0.25, 0.5, 3, 10, 20, 30, 30, 30, 60, 180, 180, 180, 360, 360].map(
  (minutes) => minutes * MINUTE,
)

/** The platform's key pair and its id, the APIv3 key, and the merchant's key pair and serial. */
export async function makeWechatpayKeys(): Promise<Keys> {
  const [platformKey, merchantKey] = await Promise.all([makeRsaKey(), makeRsaKey()])
  return {
    platformKey,
    platformSerial: `PUB_KEY_ID_0${String(randomBytes(6).readUIntBE(0, 6)).padStart(33, '0')}`,
    apiV3Key: randomBytes(16).toString('hex'),
    merchantKey,
    merchantSerial: randomBytes(20).toString('hex').toUpperCase(),
  }
}

/** WeChat Pay APIv3: sealed and signed notices, signed requests and answers. Source: channels.md section 3 */
export function openWechatpayProtocol(account: WechatpayAccount, keys: Keys): Protocol {
  const platform = { key: keyOf(keys, 'platformKey'), serial: keyOf(keys, 'platformSerial') }
  const apiV3Key = keyOf(keys, 'apiV3Key')
  const merchant = { key: keyOf(keys, 'merchantKey'), serial: keyOf(keys, 'merchantSerial') }

  return {
    secret: JSON.stringify({
      apiV3Keys: [apiV3Key],
      platformKeys: { [platform.serial]: publicPemOf(platform.key) },
      merchantSerial: merchant.serial,
      merchantPrivateKey: merchant.key,
    }),
    onlyCurrency: 'CNY',
    paysAgain: false,
    tampers: ['signature', 'amount', 'account', 'probe'],
    resendAfterMs: RESEND_AFTER_MS,
    answerTimeoutMs: 5_000,
    // The status alone decides: 200 with FAIL inside counts as received.
    isAck: (status) => status === 200 || status === 204,
    newTxnId: (number, nowMs) => `4200000000${beijingDay(nowMs)}${String(number).padStart(10, '0')}`,
    newEventId: (number) => eventIdOf(number),
    // There is no notice of a refused try, nor of a close.
    describe: (event, payment) => (event === 'paid' ? JSON.stringify(toTransaction(account, payment)) : undefined),
    encode: (content, eventId, nowMs, tamper) => {
      const facts = tamper === 'account' ? foreign(content) : content
      const body = JSON.stringify(envelope(facts, eventId, apiV3Key))
      const signed = signHeaders(platform, body, nowMs)
      const signature = signed['wechatpay-signature']
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Mozilla/4.0',
          ...signed,
          ...(tamper === 'signature' && { 'wechatpay-signature': damage(signature) }),
          ...(tamper === 'probe' && { 'wechatpay-signature': `WECHATPAY/SIGNTEST/${signature.slice(19)}` }),
        },
        // Nobody on the way can read the amount, so all that can be altered is the ciphertext.
        body:
          tamper === 'amount' ? body.replace(/("ciphertext":")([^"]+)/, (_, name, text) => name + damage(text)) : body,
      }
    },
    answer: (request, desk) => answerWechatpay({ account, platform, merchant }, request, desk),
    throttle: () => refuseWechatpay(429, 'FREQUENCY_LIMITED', '频率限制'),
  }
}

function envelope(content: string, eventId: string, apiV3Key: string): object {
  return {
    id: eventId,
    create_time: JSON.parse(content).success_time,
    resource_type: 'encrypt-resource',
    event_type: 'TRANSACTION.SUCCESS',
    summary: '支付成功',
    resource: { original_type: 'transaction', algorithm: 'AEAD_AES_256_GCM', ...seal(content, apiV3Key) },
  }
}

/** AES-256-GCM with the tag at the end of the ciphertext. The nonce is new for each send, as it must be for one key. */
function seal(content: string, apiV3Key: string): object {
  const nonce = randomBytes(6).toString('hex')
  const cipher = createCipheriv('aes-256-gcm', apiV3Key, nonce)
  cipher.setAAD(Buffer.from('transaction'))
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
  return { ciphertext: sealed.toString('base64'), associated_data: 'transaction', nonce }
}

function foreign(content: string): string {
  return JSON.stringify({ ...JSON.parse(content), mchid: '1900009999' })
}

function eventIdOf(number: number): string {
  return `EV-${String(number).padStart(20, '0')}`
}
