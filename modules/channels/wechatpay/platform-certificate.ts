import { X509Certificate } from 'node:crypto'
import { type RsaPublicKey, readRsaPublicKey } from '../rsa.ts'

/** A certificate of WeChat Pay, by whose serial messages name the key that signed them. */
export interface PlatformCertificate {
  /** Hex digits in capitals. */
  readonly serial: string
  readonly pem: string
  readonly key: RsaPublicKey
  readonly validFromMs: number
  readonly validToMs: number
}

/**
 * Reads one certificate in PEM.
 * @returns `undefined` for anything else, and for a key that is not RSA or too short
 */
export function readPlatformCertificate(text: string): PlatformCertificate | undefined {
  if (!text.includes('BEGIN CERTIFICATE')) return undefined
  const certificate = parse(text)
  const key = readRsaPublicKey(text)
  if (certificate === undefined || key === undefined) return undefined
  return {
    serial: certificate.serialNumber,
    // Written anew, so that nothing which stood around it gets into a secret.
    pem: certificate.toString(),
    key,
    validFromMs: certificate.validFromDate.getTime(),
    validToMs: certificate.validToDate.getTime(),
  }
}

function parse(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined // no certificate: the caller refuses it
  }
}
