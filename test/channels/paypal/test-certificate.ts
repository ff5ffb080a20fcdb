import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'

/** A certificate made for a test, with its private key. */
export interface TestCertificate {
  readonly pem: string
  readonly x509: X509Certificate
  readonly privateKey: KeyObject
  readonly name: string
}

export interface CertificateWish {
  readonly name: string
  readonly issuer?: TestCertificate
  readonly ca?: boolean
  readonly from?: string
  readonly to?: string
  readonly bits?: number
}

/** Issues an X.509 v3 certificate (RSA, SHA-256); without an issuer it signs itself. Source: RFC 5280, section 4.1 */
export function issueCertificate({
  name,
  issuer,
  ca = false,
  from,
  to,
  bits = 2048,
}: CertificateWish): TestCertificate {
  const pair = generateKeyPairSync('rsa', { modulusLength: bits })
  const tbs = sequence(
    tagged(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    SHA256_RSA,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(from ?? '20260101000000Z'), timeOf(to ?? '20360101000000Z')),
    nameOf(name),
    pair.publicKey.export({ format: 'der', type: 'spki' }),
    tagged(0xa3, sequence(basicConstraints(ca))),
  )
  const signature = sign('sha256', tbs, issuer?.privateKey ?? pair.privateKey)
  const bytes = sequence(tbs, SHA256_RSA, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const x509 = new X509Certificate(bytes)
  return { pem: x509.toString(), x509, privateKey: pair.privateKey, name }
}

let serial = 1

function der(tag: number, content: Uint8Array): Buffer {
  const length = content.length
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function tagged(tag: number, content: Buffer): Buffer {
  return der(tag, content)
}

/** OID 1.2.840.113549.1.1.11 with its NULL parameter. */
const SHA256_RSA = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05, Buffer.alloc(0)))

/** One RDN: commonName (2.5.4.3). */
function nameOf(text: string): Buffer {
  const attribute = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(text)))
  return sequence(der(0x31, attribute))
}

function timeOf(text: string): Buffer {
  return der(0x18, Buffer.from(text))
}

/** 2.5.29.19, critical. */
function basicConstraints(ca: boolean): Buffer {
  const value = sequence(...(ca ? [der(0x01, Buffer.from([0xff]))] : []))
  return sequence(der(0x06, Buffer.from('551d13', 'hex')), der(0x01, Buffer.from([0xff])), der(0x04, value))
}
