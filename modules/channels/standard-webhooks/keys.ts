import { createPublicKey, type KeyObject } from 'node:crypto'
import { decodeAnyBase64, decodeBase64 } from '../base64.ts'
import { secretKey } from '../hmac.ts'
import { readSecretFields } from '../secret-text.ts'

export interface StandardWebhooksKeys {
  /** For scheme v1, the current first. */
  readonly secrets: readonly KeyObject[]
  /** For scheme v1a (ed25519), the current first. */
  readonly publicKeys: readonly KeyObject[]
}

/**
 * `{ "secrets": ["whsec_…"], "publicKeys"?: ["whpk_…"] }`; the prefixes may be left out, one key of any kind may not.
 * The HMAC key is the base64 *decoded*, 24 to 64 bytes (unlike Stripe). Source: docs/channels/standard-webhooks.md, Keys and certificates
 * @throws KeyFormatError
 */
export function readStandardWebhooksKeys(secret: string): StandardWebhooksKeys {
  const fields = readSecretFields('standard-webhooks', secret, ['secrets', 'publicKeys'])
  const publicKeys = fields
    .list('publicKeys', 0)
    .map((text) => readEd25519Key(text) ?? fields.refuse('publicKeys', 'needs base64 of 32 bytes, like whpk_…'))
  const secrets = fields
    .list('secrets', publicKeys.length > 0 ? 0 : 1)
    .map((text) => readHmacKey(text) ?? fields.refuse('secrets', 'needs base64 of 24 to 64 bytes, like whsec_…'))
  return { secrets, publicKeys }
}

function readHmacKey(text: string): KeyObject | undefined {
  const bytes = decodeAnyBase64(text.replace(/^whsec_/, ''))
  return bytes !== undefined && bytes.length >= 24 && bytes.length <= 64 ? secretKey(bytes) : undefined
}

const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

function readEd25519Key(text: string): KeyObject | undefined {
  const bytes = decodeBase64(text.replace(/^whpk_/, ''), 32)
  if (bytes?.length !== 32) return undefined
  return createPublicKey({ key: Buffer.concat([ED25519_SPKI_PREFIX, bytes]), format: 'der', type: 'spki' })
}
