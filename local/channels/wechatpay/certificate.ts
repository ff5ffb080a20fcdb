import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

/** ASN.1 tags that a certificate needs. Source: ITU-T X.690 */
const INTEGER = 0x02
const BIT_STRING = 0x03
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const SET = 0x31

/** sha256WithRSAEncryption and commonName, encoded. Source: RFC 8017 and RFC 5280 */
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')

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
  const attribute = element(SEQUENCE, COMMON_NAME, element(UTF8_STRING, Buffer.from('Tenpay.com simulator')))
  const name = element(SEQUENCE, element(SET, attribute))
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
  const lines =
    element(SEQUENCE, content, SHA256_WITH_RSA, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

/** One byte below 128, else the number of bytes that follow and these; two are enough here. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff)
}

/** `YYMMDDhhmmssZ` */
function utcTime(ms: number): Buffer {
  return element(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
}
