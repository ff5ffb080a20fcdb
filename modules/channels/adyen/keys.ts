import type { KeyObject } from 'node:crypto'
import { secretKey } from '../hmac.ts'
import { readSecretFields } from '../secret-text.ts'

export interface AdyenKeys {
  /** Current first; a new key takes time to spread, so both are accepted. */
  readonly hmacKeys: readonly KeyObject[]
  readonly apiKey?: string
}

const HMAC_KEY = /^[0-9A-Fa-f]{64}$/

/**
 * `{ "hmacKeys": ["64 hex digits"], "apiKey"?: "…" }`
 * The HMAC key is the 32 bytes that the digits stand for. Source: docs/channels/adyen.md, Keys and certificates
 * @throws KeyFormatError
 */
export function readAdyenKeys(secret: string): AdyenKeys {
  const fields = readSecretFields('adyen', secret, ['hmacKeys', 'apiKey'])
  const texts = fields.list('hmacKeys', 1)
  if (!texts.every((text) => HMAC_KEY.test(text))) fields.refuse('hmacKeys', 'needs 64 hex digits each')
  const apiKey = fields.optionalToken('apiKey')
  return {
    hmacKeys: texts.map((text) => secretKey(Buffer.from(text, 'hex'))),
    ...(apiKey !== undefined && { apiKey }),
  }
}
