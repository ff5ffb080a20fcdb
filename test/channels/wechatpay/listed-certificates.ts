import { createCipheriv, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { makeCertificate } from '../../../local/world/channels/wechatpay/certificate.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, NOW_MS } from '../client-setup.ts'
import { NOW_SECONDS } from '../message-setup.ts'
import { API_V3_KEY } from './signed-notice.ts'

const DAY_MS = 86_400_000

export interface Platform {
  readonly serial: string
  readonly pem: string
  readonly privateKey: string
}

/** A platform certificate with its own key, in force at NOW unless days from it say otherwise. */
export function aPlatform({ fromDays = -1, toDays = 1, bits = 2048 } = {}): Platform {
  const privateKey = generateKeyPairSync('rsa', { modulusLength: bits })
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString()
  const serial = `5A${randomBytes(19).toString('hex').toUpperCase()}`
  const validFromMs = NOW_MS + fromDays * DAY_MS
  const pem = makeCertificate({ privateKey, serial, validFromMs, validToMs: NOW_MS + toDays * DAY_MS })
  return { serial, pem, privateKey }
}

export type Item = ReturnType<typeof listed>

/** One entry of WeChat Pay's list; the serial beside the certificate can be another. */
export function listed({ serial, pem }: Pick<Platform, 'serial' | 'pem'>, key = API_V3_KEY) {
  const cipher = createCipheriv('aes-256-gcm', key, 'nonce-of-12b')
  cipher.setAAD(Buffer.from('certificate'))
  const sealed = Buffer.concat([cipher.update(pem), cipher.final(), cipher.getAuthTag()])
  return {
    serial_no: serial,
    effective_time: '2026-11-01T10:00:00+08:00',
    expire_time: '2026-11-03T10:00:00+08:00',
    encrypt_certificate: {
      algorithm: 'AEAD_AES_256_GCM',
      nonce: 'nonce-of-12b',
      associated_data: 'certificate',
      ciphertext: sealed.toString('base64'),
    },
  }
}

/** The list as it is answered, signed by the owner of a key under a serial. */
export function listSignedBy(
  { privateKey, serial }: Pick<Platform, 'privateKey' | 'serial'>,
  ...data: readonly Item[]
): HttpResult {
  const body = JSON.stringify({ data })
  const signed = `${NOW_SECONDS}\nN0NCE\n${body}\n`
  return anAnswer(200, body, {
    'wechatpay-timestamp': String(NOW_SECONDS),
    'wechatpay-nonce': 'N0NCE',
    'wechatpay-serial': serial,
    'wechatpay-signature': createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64'),
  })
}
