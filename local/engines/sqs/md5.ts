import { createHash } from 'node:crypto'
import type { MessageAttributes } from './message.ts'

/** MD5 of a text in hex. */
export const digestText = (text: string): string => createHash('md5').update(text).digest('hex')

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * MD5 over message attributes in hex, `undefined` for none.
 * Source: SQS Developer Guide, "Calculating the MD5 message digest for message attributes".
 */
export function digestAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort()
  if (names.length === 0) return undefined
  const hash = createHash('md5')
  for (const name of names) {
    const attribute = attributes[name]
    if (attribute === undefined) continue
    const isBinary = attribute.BinaryValue !== undefined
    const value = isBinary ? Buffer.from(attribute.BinaryValue, 'base64') : Buffer.from(attribute.StringValue ?? '')
    hash.update(withLength(Buffer.from(name)))
    hash.update(withLength(Buffer.from(attribute.DataType)))
    hash.update(Buffer.from([isBinary ? 2 : 1]))
    hash.update(withLength(value))
  }
  return hash.digest('hex')
}
