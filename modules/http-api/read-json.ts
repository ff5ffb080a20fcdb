import { isJsonObject, type JsonObject } from '../channels/json.ts'
import { findDuplicateKey } from './find-duplicate-key.ts'
import { UNKNOWN_NAME } from './known-names.ts'
import { invalidField, ProblemError } from './problem.ts'

/** Larger than any order of the permitted number of lines and attributes. */
export const MAX_BODY_BYTES = 100 * 1024

/** A JSON number that is an integer as it is written; anything else is read as NaN, which no field takes. */
const WRITTEN_INTEGER = /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

export interface JsonRules {
  readonly maxBytes?: number
  /** Names that a refusal may say again. */
  readonly names: () => ReadonlySet<string>
}

/**
 * The JSON object that a request's body is.
 * @throws ProblemError BODY_TOO_LARGE, INVALID_JSON; VALIDATION_FAILED for a name that stands twice
 */
export function readJson(
  body: string | undefined,
  isBase64Encoded: boolean,
  { maxBytes = MAX_BODY_BYTES, names }: JsonRules,
): JsonObject {
  const text = body ?? ''
  if (Buffer.byteLength(text, isBase64Encoded ? 'base64' : 'utf8') > maxBytes) {
    throw new ProblemError('BODY_TOO_LARGE', `Send at most ${maxBytes} bytes.`)
  }
  const { json, value } = parseBody(text, isBase64Encoded)
  if (!isJsonObject(value)) throw new ProblemError('INVALID_JSON', 'Send a JSON object as the body.')
  const twice = findDuplicateKey(json)
  if (twice !== undefined) throw invalidField(names().has(twice) ? twice : UNKNOWN_NAME, 'is given twice')
  return value
}

function parseBody(text: string, isBase64Encoded: boolean): { readonly json: string; readonly value: unknown } {
  try {
    const json = isBase64Encoded ? utf8.decode(Buffer.from(text, 'base64')) : text
    // The gateway has put U+FFFD where the bytes were no UTF-8 (GBK, for one), and what was meant is lost.
    if (!isBase64Encoded && json.includes('\ufffd')) throw new SyntaxError('The text was not UTF-8.')
    return { json, value: JSON.parse(json, readExactly) }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError('INVALID_JSON', 'Send a JSON object in UTF-8 as the body.')
  }
}

// 9007199254740990.6 would become a whole number, and half a surrogate pair would be stored as another character.
function readExactly(name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (name === '__proto__') throw invalidField(name, 'is no name that can be kept')
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) {
    throw new SyntaxError('The text holds half of a surrogate pair.')
  }
  if (typeof value === 'number') return WRITTEN_INTEGER.test(context?.source ?? '') ? value : Number.NaN
  return value
}
