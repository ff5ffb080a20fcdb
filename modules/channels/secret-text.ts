import { createPrivateKey, type KeyObject } from 'node:crypto'
import { decodeAnyBase64 } from './base64.ts'
import { KeyFormatError } from './errors.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from './json.ts'

/** The fields of a channel's secret, read strictly: our own setting, so an unknown name is a mistake. */
export interface SecretFields {
  /** A list of at least `atLeast` texts, the current first. @throws KeyFormatError */
  list(name: string, atLeast: number): readonly string[]
  /** At least `atLeast` texts, by name. @throws KeyFormatError */
  map(name: string, atLeast: 0 | 1): ReadonlyMap<string, string>
  /** A text that goes into a header: printable, without blanks or line breaks. @throws KeyFormatError when it is not */
  optionalToken(name: string): string | undefined
  /** A PKCS#8 or PKCS#1 key as PEM or bare base64. @throws KeyFormatError when it is there and unreadable */
  optionalPrivateKey(name: string): KeyObject | undefined
  /** @throws KeyFormatError always: for a value that its channel cannot use */
  refuse(name: string, problem: string): never
}

/**
 * Reads the JSON text of a channel's secret. Messages name a field and never a value, and keep no cause, because a
 * parser's message quotes its input.
 * @throws KeyFormatError when it is no JSON object or has a field that is not among `names`
 */
export function readSecretFields(channelKind: string, secret: string, names: readonly string[]): SecretFields {
  const refuse = (name: string, problem: string): never => {
    throw new KeyFormatError(channelKind, name, problem)
  }
  const fields: JsonObject = parseJsonObject(Buffer.from(secret)) ?? refuse('(the whole text)', 'is not a JSON object')
  // An unknown name is not printed: in a text that was put together wrongly it can be the secret itself.
  if (Object.keys(fields).some((name) => !names.includes(name))) {
    refuse('(another name)', `is not known: only ${names.join(', ')} are`)
  }
  const text = (name: string, value: unknown): string =>
    typeof value === 'string' && value.trim() !== '' ? value : refuse(name, 'is not a text or is empty')
  const optionalText = (name: string) => (fields[name] === undefined ? undefined : text(name, fields[name]))

  return {
    refuse,
    list(name, atLeast) {
      const value = fields[name] ?? []
      if (!Array.isArray(value) || value.length < atLeast) return refuse(name, 'needs a list with at least one key')
      return value.map((item: unknown) => text(name, item))
    },
    map(name, atLeast) {
      const value = fields[name] ?? {}
      if (!isJsonObject(value) || Object.keys(value).length < atLeast) return refuse(name, 'needs at least one key')
      return new Map(Object.entries(value).map(([key, item]) => [key, text(`${name}.${key}`, item)]))
    },
    optionalToken(name) {
      const value = optionalText(name)
      return value === undefined || TOKEN.test(value) ? value : refuse(name, 'has blanks, line breaks or other signs')
    },
    optionalPrivateKey(name) {
      const value = optionalText(name)
      return value === undefined ? undefined : (readPrivateKey(value) ?? refuse(name, 'is not an RSA private key'))
    },
  }
}

const TOKEN = /^[\x21-\x7e]{1,512}$/

function readPrivateKey(text: string): KeyObject | undefined {
  const der = decodeAnyBase64(text.replaceAll(/\s/g, ''))
  const forms = [
    () => createPrivateKey(text),
    () => createPrivateKey({ key: der ?? Buffer.alloc(0), format: 'der', type: 'pkcs8' }),
    () => createPrivateKey({ key: der ?? Buffer.alloc(0), format: 'der', type: 'pkcs1' }),
  ]
  for (const read of forms) {
    try {
      const key = read()
      if (key.asymmetricKeyType === 'rsa') return key
    } catch {
      // the next form; what none of them reads is refused by the caller
    }
  }
  return undefined
}
