import { type KeyObject, X509Certificate } from 'node:crypto'
import { secretKey } from '../hmac.ts'
import { type RsaPublicKey, readRsaPublicKey } from '../rsa.ts'
import { readSecretFields } from '../secret-text.ts'

export interface WechatpayKeys {
  /** AES-256 keys of the content, the current first: a reset leaves notices of the old one under way. */
  readonly apiV3Keys: readonly KeyObject[]
  /** By the serial that a message names. During a change from certificate to public key both kinds are in use. */
  readonly platformKeys: ReadonlyMap<string, RsaPublicKey>
  readonly merchantSerial?: string
  readonly merchantPrivateKey?: KeyObject
}

const API_V3_KEY_BYTES = 32

/**
 * `{ "apiV3Keys": [32 characters], "platformKeys": { serial: PEM }, "merchantSerial"?, "merchantPrivateKey"? }`
 * Source: docs/channels/wechatpay.md, Keys and certificates
 * @throws KeyFormatError
 */
export function readWechatpayKeys(secret: string): WechatpayKeys {
  return readKeys(secret, 1)
}

/** As {@link readWechatpayKeys}, for the fetch that brings the first platform key: there may be none yet. @throws KeyFormatError */
export function readKeysForFetch(secret: string): WechatpayKeys {
  return readKeys(secret, 0)
}

function readKeys(secret: string, fewestPlatformKeys: 0 | 1): WechatpayKeys {
  const names = ['apiV3Keys', 'platformKeys', 'merchantSerial', 'merchantPrivateKey']
  const fields = readSecretFields('wechatpay', secret, names)
  const apiV3Keys = fields.list('apiV3Keys', 1).map((text) => {
    const bytes = Buffer.from(text)
    return bytes.length === API_V3_KEY_BYTES ? secretKey(bytes) : fields.refuse('apiV3Keys', 'needs 32 characters each')
  })
  const platformKeys = new Map(
    [...fields.map('platformKeys', fewestPlatformKeys)].map(([serial, text]) => {
      const key = readRsaPublicKey(text)
      if (key === undefined) return fields.refuse(`platformKeys.${serial}`, 'is not an RSA public key or certificate')
      if (!isNamedRight(serial, text)) return fields.refuse(`platformKeys.${serial}`, 'has another serial inside')
      return [serial, key]
    }),
  )
  const merchantSerial = fields.optionalToken('merchantSerial')
  const merchantPrivateKey = fields.optionalPrivateKey('merchantPrivateKey')
  return {
    apiV3Keys,
    platformKeys,
    ...(merchantSerial !== undefined && { merchantSerial }),
    ...(merchantPrivateKey !== undefined && { merchantPrivateKey }),
  }
}

// A certificate under the wrong serial would refuse every callback, with nothing to show why.
function isNamedRight(serial: string, text: string): boolean {
  return !text.includes('BEGIN CERTIFICATE') || new X509Certificate(text).serialNumber === serial.toUpperCase()
}
