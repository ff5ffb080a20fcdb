import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import {
  BIT_STRING,
  BOOLEAN,
  certificatePem,
  element,
  GENERALIZED_TIME,
  INTEGER,
  nameOf,
  OCTET_STRING,
  SEQUENCE,
} from '../der.ts'

/** The places of a certificate that are tagged by their number. Source: RFC 5280, section 4.1 */
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** Ed25519 and basicConstraints, encoded. Source: RFC 8410 and RFC 5280 */
const ED25519 = Buffer.from('300506032b6570', 'hex')
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const TRUE = element(BOOLEAN, Buffer.of(0xff))
const NOT_A_CA = element(SEQUENCE, BASIC_CONSTRAINTS, TRUE, element(OCTET_STRING, element(SEQUENCE)))

/** A simulated clock may leap far. */
const FROM = '20200101000000Z'
const TO = '20991231235959Z'
const ROOT_NAME = 'PayPal simulator root'

/**
 * The key of the root that signs the simulator's certificates; infra/simulator-root.ts holds the root itself. It is no secret, so
 * the root may be trusted nowhere but on the machine that the simulator runs on.
 */
const ROOT_KEY = createPrivateKey({
  key: Buffer.concat([ED25519_PKCS8, createHash('sha256').update(ROOT_NAME).digest()]),
  format: 'der',
  type: 'pkcs8',
})

/** PEM of a certificate of a key's public half, signed by the simulator's root. */
export function certify(privatePem: string): string {
  return makeCertificate('messageverificationcerts.paypal.com', createPublicKey(createPrivateKey(privatePem)))
}

/** An X.509 v3 certificate that signs no other; node:crypto reads them and makes none. Source: RFC 5280, section 4.1 */
function makeCertificate(name: string, key: KeyObject): string {
  const spki = key.export({ format: 'der', type: 'spki' })
  const serial = createHash('sha256').update(spki).digest().subarray(0, 16)
  const content = element(
    SEQUENCE,
    element(VERSION, element(INTEGER, Buffer.of(2))),
    // A first byte of 1 keeps the number positive and in its shortest form.
    element(INTEGER, Buffer.of(1), serial),
    ED25519,
    nameOf(ROOT_NAME),
    element(SEQUENCE, element(GENERALIZED_TIME, Buffer.from(FROM)), element(GENERALIZED_TIME, Buffer.from(TO))),
    nameOf(name),
    spki,
    element(EXTENSIONS, element(SEQUENCE, NOT_A_CA)),
  )
  const signature = element(BIT_STRING, Buffer.of(0), sign(null, content, ROOT_KEY))
  return certificatePem(element(SEQUENCE, content, ED25519, signature))
}
