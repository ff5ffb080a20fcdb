import { createDecipheriv, type KeyObject } from 'node:crypto'
import { decodeAnyBase64 } from '../base64.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What AEAD_AES_256_GCM content carries beside it; the ciphertext is base64 with the tag at its end. */
export interface Sealed {
  readonly nonce: string
  readonly associatedData: string
  readonly ciphertext: string
}

/**
 * Decrypts with the first key whose tag fits.
 * @returns `undefined` when none does: altered content, a foreign key, or not this form at all.
 * Source: docs/channels/wechatpay.md, Callback
 */
export function openSealed(sealed: Sealed, keys: readonly KeyObject[]): Buffer | undefined {
  const bytes = decodeAnyBase64(sealed.ciphertext)
  const nonce = Buffer.from(sealed.nonce)
  if (bytes === undefined || bytes.length < TAG_BYTES || nonce.length !== NONCE_BYTES) return undefined
  return keys.map((key) => openWith(key, nonce, sealed.associatedData, bytes)).find((opened) => opened !== undefined)
}

function openWith(key: KeyObject, nonce: Buffer, associatedData: string, bytes: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(associatedData))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const opened = decipher.update(bytes.subarray(0, -TAG_BYTES))
  try {
    return Buffer.concat([opened, decipher.final()])
  } catch {
    return undefined // the tag does not fit: `opened` is worth nothing
  }
}
