import { randomBytes } from 'node:crypto'
import type { WechatpayAccount } from '../../../../modules/channels/account.ts'
import { beijingDay } from '../beijing.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import { damage, type Protocol } from '../protocol.ts'
import { makeRsaKey, publicPemOf } from '../rsa.ts'
import { answerWechatpay, refuseWechatpay } from './api.ts'
import { makeCertificate } from './certificate.ts'
import { seal } from './seal.ts'
import { signHeaders } from './sign-headers.ts'
import { toTransaction } from './transaction.ts'

const MINUTE = 60_000
/**
 * 15 s, 15 s, 30 s, 3 min, 10 min, 20 min, 30 min ×3, 60 min, 3 h ×3, 6 h ×2: 24 h 4 min.
 * Source: docs/channels/wechatpay.md, Acknowledgement and repeats
 */
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

const DAY_MS = 86_400_000
/** Valid 5 years. Source: docs/channels/wechatpay.md, Callback */
const CERTIFICATE_MS = 5 * 365 * DAY_MS

/** A platform certificate with its key: beside the public key, for merchants who still have messages signed by it. */
export async function makeWechatpayCertificate(): Promise<Keys> {
  const privateKey = await makeRsaKey()
  // A serial is a positive number, written with all its digits: the first byte is neither 0 nor over 7f.
  const serial = Buffer.concat([Buffer.of(0x5a), randomBytes(19)])
    .toString('hex')
    .toUpperCase()
  const validFromMs = Date.now() - DAY_MS
  const certificate = makeCertificate({ privateKey, serial, validFromMs, validToMs: validFromMs + CERTIFICATE_MS })
  return { privateKey, serial, certificate }
}

/** What signs notices, and answers that are not asked to be signed otherwise. */
export type WechatpaySigning = 'public-key' | 'certificate'

/**
 * WeChat Pay APIv3: sealed and signed notices, signed requests and answers. A merchant of the certificates starts without a
 * platform key and must fetch them. Source: docs/channels/wechatpay.md
 */
export function openWechatpayProtocol(
  account: WechatpayAccount,
  keys: Keys,
  certificateKeys: Keys,
  signing: WechatpaySigning = 'public-key',
): Protocol {
  const platform = { key: keyOf(keys, 'platformKey'), serial: keyOf(keys, 'platformSerial') }
  const apiV3Key = keyOf(keys, 'apiV3Key')
  const merchant = { key: keyOf(keys, 'merchantKey'), serial: keyOf(keys, 'merchantSerial') }
  const certificate = {
    key: keyOf(certificateKeys, 'privateKey'),
    serial: keyOf(certificateKeys, 'serial'),
    pem: keyOf(certificateKeys, 'certificate'),
  }
  const usual = signing === 'certificate' ? certificate : platform

  return {
    secret: JSON.stringify({
      apiV3Keys: [apiV3Key],
      platformKeys: signing === 'certificate' ? {} : { [platform.serial]: publicPemOf(platform.key) },
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
      const signed = signHeaders(usual, body, nowMs)
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
    answer: (request, desk) => {
      // The caller may ask for the public key, by its id.
      const signer = request.headers['wechatpay-serial'] === platform.serial ? platform : usual
      return answerWechatpay({ account, signer, merchant, certificate, apiV3Key }, request, desk)
    },
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
    resource: { original_type: 'transaction', ...seal(content, 'transaction', apiV3Key) },
  }
}

function foreign(content: string): string {
  return JSON.stringify({ ...JSON.parse(content), mchid: '1900009999' })
}

function eventIdOf(number: number): string {
  return `EV-${String(number).padStart(20, '0')}`
}
