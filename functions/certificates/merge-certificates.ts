import { isJsonObject, parseJsonObject } from '../../modules/channels/json.ts'
import { readRsaPublicKey } from '../../modules/channels/rsa.ts'
import {
  type PlatformCertificate,
  readPlatformCertificate,
} from '../../modules/channels/wechatpay/platform-certificate.ts'

/**
 * A wechatpay secret with the fetched certificates among its `platformKeys`, and without those that are over. Public keys
 * (`PUB_KEY_ID_…`) and certificates that are still valid stay: messages signed by them may be under way.
 * @param secret a text that `readKeysForFetch` has read
 * @param fetched none of them over, at least one
 * @returns `undefined` when the secret has all of it already
 */
export function mergeCertificates(
  secret: string,
  fetched: readonly PlatformCertificate[],
  nowMs: number,
): string | undefined {
  const fields = parseJsonObject(Buffer.from(secret)) ?? {}
  const held = isJsonObject(fields['platformKeys']) ? Object.entries(fields['platformKeys']) : []
  const kept = held.filter(([, text]) => !isOver(text, nowMs))
  const platformKeys = new Map(kept)
  const added = fetched.filter((certificate) => !isSameKey(platformKeys.get(certificate.serial), certificate))
  if (added.length === 0 && kept.length === held.length) return undefined
  for (const { serial, pem } of added) platformKeys.set(serial, pem)
  return JSON.stringify({ ...fields, platformKeys: Object.fromEntries(platformKeys) }, undefined, 2)
}

function isOver(text: unknown, nowMs: number): boolean {
  const certificate = typeof text === 'string' ? readPlatformCertificate(text) : undefined
  return certificate !== undefined && certificate.validToMs <= nowMs
}

/** A person may have written it otherwise (other line breaks, the bare key): that is no reason for a new version. */
function isSameKey(text: unknown, { key }: PlatformCertificate): boolean {
  return typeof text === 'string' && readRsaPublicKey(text)?.key.equals(key.key) === true
}
