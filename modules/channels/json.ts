export type JsonObject = Readonly<Record<string, unknown>>

/** A number that was not written as plain digits (`1E2`, `88.50`): no reader of an amount or a time accepts it. */
export class InexactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

const PLAIN_INTEGER = /^-?\d+$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON object that `bytes` are, or `undefined` when they are anything else.
 * Of a name that stands twice the last value counts, here and so in verify and parse alike: the signature covers both, so
 * the sender means what it wrote, and the raw body is kept.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes), keepExactNumbers)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // not UTF-8, not JSON, or nested beyond the stack: all the same to the caller
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactNumber)
}

// JSON.parse makes 1E2 into 100 and 9007199254740990.6 into a safe integer; the source text tells them apart.
function keepExactNumbers(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value
  const source = context?.source ?? ''
  return PLAIN_INTEGER.test(source) && Number.isSafeInteger(value) ? value : new InexactNumber(source)
}
