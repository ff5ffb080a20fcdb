import type { KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject, parseJsonObject } from '../json.ts'
import { openSealed } from './aead.ts'

export type OpenedNotice =
  | { readonly ok: true; readonly envelope: JsonObject; readonly content: JsonObject }
  | {
      readonly ok: false
      readonly reason: 'malformed' | 'not-allowed' | 'undecryptable'
      readonly envelope: JsonObject
    }

/** Takes the content out of a notice whose signature was checked. Source: docs/channels/wechatpay.md, Callback */
export function openNotice(body: Buffer, apiV3Keys: readonly KeyObject[]): OpenedNotice {
  const envelope = parseJsonObject(body) ?? {}
  const resource = envelope['resource']
  if (!isJsonObject(resource)) return { ok: false, reason: 'malformed', envelope }
  const { algorithm, nonce, ciphertext } = resource
  const associatedData = resource['associated_data'] ?? ''
  if (algorithm !== 'AEAD_AES_256_GCM') return { ok: false, reason: 'not-allowed', envelope }
  if (typeof nonce !== 'string' || typeof ciphertext !== 'string' || typeof associatedData !== 'string') {
    return { ok: false, reason: 'malformed', envelope }
  }
  const opened = openSealed({ nonce, associatedData, ciphertext }, apiV3Keys)
  const content = opened === undefined ? undefined : parseJsonObject(opened)
  return content === undefined ? { ok: false, reason: 'undecryptable', envelope } : { ok: true, envelope, content }
}
