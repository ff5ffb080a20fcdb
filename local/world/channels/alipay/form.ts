import { encodeGbk } from './gbk.ts'

export type Charset = 'utf-8' | 'gbk'
export type Parameters = Readonly<Record<string, string>>

/** Bytes of a text in the charset that a form names. */
export function encodeText(text: string, charset: Charset): Buffer {
  return charset === 'gbk' ? encodeGbk(text) : Buffer.from(text)
}

/** What is signed: `name=value` sorted by name, joined by `&`, unquoted. Source: docs/channels/alipay.md, Callback and Query */
export function signedText(parameters: Parameters, leftOut: readonly string[]): string {
  return Object.keys(parameters)
    .filter((name) => !leftOut.includes(name))
    .toSorted()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&')
}

/** `application/x-www-form-urlencoded` in any charset: every byte that is not plain is escaped, a space is `+`. */
export function encodeForm(parameters: Parameters, charset: Charset): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${escapeBytes(encodeText(value, charset))}`)
    .join('&')
}

function escapeBytes(bytes: Buffer): string {
  return [...bytes].map((byte) => escapeByte(String.fromCharCode(byte), byte)).join('')
}

function escapeByte(character: string, byte: number): string {
  if (/[0-9A-Za-z*._-]/.test(character)) return character
  return character === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
