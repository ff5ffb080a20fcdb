import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** ASN.1 tags that a certificate needs. Source: ITU-T X.690 */
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** Ed25519, the name's commonName, and basicConstraints, encoded. Source: RFC 8410 and RFC 5280 */
const ED25519 = Buffer.from('300506032b6570', 'hex')
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const TRUE = element(BOOLEAN, Buffer.of(0xff))

/** A simulated clock may leap far. */
const FROM = '20200101000000Z'
const TO = '20991231235959Z'
const ROOT_NAME = 'PayPal simulator root'

/**
 * The root that signs the simulator's certificates: the same on every machine, so that a stage can name it. Its key is no secret,
 * and so it may be trusted nowhere but on the machine that the simulator runs on.
 */
const ROOT_KEY = createPrivateKey({
  key: Buffer.concat([ED25519_PKCS8, createHash('sha256').update(ROOT_NAME).digest()]),
  format: 'der',
  type: 'pkcs8',
})

/** What the account's `certRootPems` must hold for callbacks of the simulator. */
export const SIMULATOR_ROOT_PEM = makeCertificate(ROOT_NAME, createPublicKey(ROOT_KEY), true)

/** PEM of a certificate of a key's public half, signed by the simulator's root. */
export function certify(privatePem: string): string {
  return makeCertificate('messageverificationcerts.paypal.com', createPublicKey(createPrivateKey(privatePem)), false)
}

/** An X.509 v3 certificate; node:crypto reads them and makes none. Source: RFC 5280, section 4.1 */
function makeCertificate(name: string, key: KeyObject, isRoot: boolean): string {
  const spki = key.export({ format: 'der', type: 'spki' })
  const serial = createHash('sha256').update(spki).digest().subarray(0, 16)
  const content = element(
    SEQUENCE,
    element(VERSION, element(INTEGER, Buffer.of(2))),
    // A first byte of 1 keeps the number positive and in its shortest form.
    element(INTEGER, Buffer.of(1), serial),
    ED25519,
    nameOf(ROOT_NAME),
    element(SEQUENCE, element(TIME, Buffer.from(FROM)), element(TIME, Buffer.from(TO))),
    nameOf(name),
    spki,
    element(EXTENSIONS, element(SEQUENCE, basicConstraints(isRoot))),
  )
  const signature = element(BIT_STRING, Buffer.of(0), sign(null, content, ROOT_KEY))
  const lines = element(SEQUENCE, content, ED25519, signature).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function basicConstraints(isRoot: boolean): Buffer {
  const value = element(SEQUENCE, ...(isRoot ? [TRUE] : []))
  return element(SEQUENCE, BASIC_CONSTRAINTS, TRUE, element(OCTET_STRING, value))
}

function nameOf(text: string): Buffer {
  const attribute = element(SEQUENCE, COMMON_NAME, element(UTF8_STRING, Buffer.from(text)))
  return element(SEQUENCE, element(SET, attribute))
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
