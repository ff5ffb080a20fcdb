import type { KeyObject } from 'node:crypto'
import { type RsaPublicKey, readRsaPublicKey } from '../rsa.ts'
import { readSecretFields } from '../secret-text.ts'

export interface AlipayKeys {
  /** Alipay's keys, not our application's; the current first. */
  readonly alipayPublicKeys: readonly RsaPublicKey[]
  readonly appPrivateKey?: KeyObject
}

/**
 * `{ "alipayPublicKeys": [PEM, certificate PEM or bare base64], "appPrivateKey"?: PEM or bare base64 }`
 * A list, since no overlap at a rotation is documented. Source: docs/channels/alipay.md, Keys and certificates
 * @throws KeyFormatError
 */
export function readAlipayKeys(secret: string): AlipayKeys {
  const fields = readSecretFields('alipay', secret, ['alipayPublicKeys', 'appPrivateKey'])
  const appPrivateKey = fields.optionalPrivateKey('appPrivateKey')
  return {
    alipayPublicKeys: fields
      .list('alipayPublicKeys', 1)
      .map((text) => readRsaPublicKey(text) ?? fields.refuse('alipayPublicKeys', 'needs RSA public keys of 2048 bits')),
    ...(appPrivateKey !== undefined && { appPrivateKey }),
  }
}
