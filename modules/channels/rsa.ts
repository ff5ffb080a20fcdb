import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodeAnyBase64, decodeBase64 } from './base64.ts'

/** A public key that is ready to use, with the only length that its signatures can have. */
export interface RsaPublicKey {
  readonly key: KeyObject
  readonly signatureBytes: number
}

const SMALLEST_BITS = 2048

/**
 * Reads a PEM public key, a PEM certificate, or the bare base64 that platforms show (SubjectPublicKeyInfo).
 * @returns `undefined` for anything else, a private key and an RSA key under 2048 bits included
 */
export function readRsaPublicKey(text: string): RsaPublicKey | undefined {
  const key = text.includes('-----') ? readPem(text) : readBareBase64(text)
  const bits = key?.asymmetricKeyDetails?.modulusLength
  if (key?.asymmetricKeyType !== 'rsa' || bits === undefined || bits < SMALLEST_BITS) return undefined
  return { key, signatureBytes: Math.ceil(bits / 8) }
}

function readPem(text: string): KeyObject | undefined {
  // Node derives the public key of a private one; whoever pasted that has mixed up two fields.
  if (text.includes('PRIVATE KEY')) return undefined
  try {
    return createPublicKey(text)
  } catch {
    return undefined
  }
}

function readBareBase64(text: string): KeyObject | undefined {
  const der = decodeAnyBase64(text.replaceAll(/\s/g, ''))
  if (der === undefined) return undefined
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/** SHA256withRSA (PKCS#1 v1.5) over `message`; `signature` is base64, checked for alphabet and length before any arithmetic. */
export function isSignedBy(publicKey: RsaPublicKey, message: Uint8Array, signature: string): boolean {
  const bytes = decodeBase64(signature, publicKey.signatureBytes)
  if (bytes?.length !== publicKey.signatureBytes) return false
  return verify('sha256', message, { key: publicKey.key, padding: constants.RSA_PKCS1_PADDING }, bytes)
}
