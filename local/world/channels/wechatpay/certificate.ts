import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { BIT_STRING, certificatePem, element, INTEGER, nameOf, SEQUENCE, UTC_TIME } from '../der.ts'

/** sha256WithRSAEncryption, encoded. Source: RFC 8017 */
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex')

export interface CertificateContent {
  /** PEM; the certificate is of its public half, and signed by it. */
  readonly privateKey: string
  /** 40 hex digits, the first below 8: a positive number of 20 bytes. */
  readonly serial: string
  readonly validFromMs: number
  /** Before the year 2050. */
  readonly validToMs: number
}

/** An X.509 certificate in PEM, in the one form that the simulator needs; node:crypto reads them and makes none. */
export function makeCertificate({ privateKey, serial, validFromMs, validToMs }: CertificateContent): string {
  const key = createPrivateKey(privateKey)
  const name = nameOf('Tenpay.com simulator')
  const content = element(
    SEQUENCE,
    element(INTEGER, Buffer.from(serial, 'hex')),
    SHA256_WITH_RSA,
    name,
    element(SEQUENCE, utcTime(validFromMs), utcTime(validToMs)),
    name,
    createPublicKey(key).export({ format: 'der', type: 'spki' }),
  )
  const signature = element(BIT_STRING, Buffer.of(0), sign('sha256', content, key))
  return certificatePem(element(SEQUENCE, content, SHA256_WITH_RSA, signature))
}

/** `YYMMDDhhmmssZ` */
function utcTime(ms: number): Buffer {
  return element(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
}
