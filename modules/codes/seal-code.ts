import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { Sku } from '../core/ids.ts'
import type { SealedCode } from '../ledger/stock/import-codes.ts'
import type { CodeKeys } from './code-keys.ts'
import { CodeUnreadableError } from './errors.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * A code as it is kept: encrypted by AES-256-GCM, under an id that tells the same code again and nothing of its text. Sku and id
 * are bound to the ciphertext, so that no row can pass for another's.
 */
export function sealCode(keys: CodeKeys, sku: Sku, code: string): SealedCode {
  const codeId = createHmac('sha256', keys.naming).update(`${sku}|${code}`).digest('base64url')
  const { id, key } = keys.current
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(sku, codeId))
  const ciphertext = Buffer.concat([cipher.update(code, 'utf8'), cipher.final()])
  return { sku, codeId, keyId: id, sealed: Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]) }
}

/** The text of a kept code. @throws CodeUnreadableError */
export function openCode(keys: CodeKeys, { sku, codeId, keyId, sealed }: SealedCode): string {
  const key = keys.byId.get(keyId)
  if (key === undefined) throw new CodeUnreadableError('CODE_KEY_MISSING', codeId, keyId)
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new CodeUnreadableError('CODE_TAMPERED', codeId, keyId)
  try {
    return decrypt(key, boundTo(sku, codeId), sealed)
  } catch (cause) {
    throw new CodeUnreadableError('CODE_TAMPERED', codeId, keyId, { cause })
  }
}

function decrypt(key: KeyObject, associated: Buffer, sealed: Uint8Array): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associated)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}

function boundTo(sku: Sku, codeId: string): Buffer {
  return Buffer.from(`${sku}|${codeId}`)
}
