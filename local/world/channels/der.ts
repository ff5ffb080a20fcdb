/** ASN.1 tags of the certificates that simulators make. Source: ITU-T X.690 */
export const BOOLEAN = 0x01
export const INTEGER = 0x02
export const BIT_STRING = 0x03
export const OCTET_STRING = 0x04
export const UTC_TIME = 0x17
export const GENERALIZED_TIME = 0x18
export const SEQUENCE = 0x30

const UTF8_STRING = 0x0c
const SET = 0x31
const COMMON_NAME = Buffer.from('0603550403', 'hex')

/** One element in DER, of parts that are encoded. */
export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

/** One byte below 128, else the number of bytes that follow and these; two are enough here. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff)
}

/** A name that is a commonName and nothing else. Source: RFC 5280, section 4.1.2.4 */
export function nameOf(text: string): Buffer {
  const attribute = element(SEQUENCE, COMMON_NAME, element(UTF8_STRING, Buffer.from(text)))
  return element(SEQUENCE, element(SET, attribute))
}

/** An encoded certificate in PEM. Source: RFC 7468 */
export function certificatePem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
