import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import * as z from 'zod/mini'
import { CodeKeyFormatError } from './errors.ts'

/** What codes are encrypted and named with. */
export interface CodeKeys {
  /** Encrypts what comes in from now on. */
  readonly current: { readonly id: string; readonly key: KeyObject }
  /** Every key that kept codes may be encrypted with. */
  readonly byId: ReadonlyMap<string, KeyObject>
  /** Gives codes their ids. It stays when the encrypting key is changed, else a code could be taken in twice. */
  readonly naming: KeyObject
}

const KEY_BYTES = 32
/** Fewest characters of a key's text: 32 letters and digits are 190 random bits. */
const MIN_TEXT = 32

const id = z.string().check(z.regex(/^[0-9A-Za-z_-]{1,32}$/))
const keyText = z.string().check(z.minLength(MIN_TEXT))
const secret = z.object({
  id,
  key: keyText,
  naming: z.optional(keyText),
  previous: z._default(z.array(z.object({ id, key: keyText })), []),
})

/**
 * Reads the secret CodeKeys: `{"id": "k1", "key": "…", "previous": [{"id", "key"}], "naming": "…"}`. As the deploy generates it,
 * it has one key, which also gives codes their ids; to rotate, that first key's text stands on as `naming`.
 * @throws CodeKeyFormatError
 */
export function readCodeKeys(text: string): CodeKeys {
  const parsed = z.safeParse(secret, parseJson(text))
  if (!parsed.success) throw new CodeKeyFormatError(parsed.error.issues[0]?.path.join('.') || 'text')
  const { id: currentId, key, naming, previous } = parsed.data
  if (naming === undefined && previous.length > 0) throw new CodeKeyFormatError('naming')
  const all = [{ id: currentId, key }, ...previous]
  const byId = new Map(all.map((one) => [one.id, derive(one.key, `seal/${one.id}`)]))
  const current = byId.get(currentId)
  if (current === undefined || byId.size !== all.length) throw new CodeKeyFormatError('previous')
  return { current: { id: currentId, key: current }, byId, naming: derive(naming ?? key, 'name') }
}

/** A key of its own for each purpose. Source: RFC 5869 */
function derive(text: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', text, '', `backstop/codes/${purpose}`, KEY_BYTES)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause: a JSON error quotes the text, which is the key.
    throw new CodeKeyFormatError('text')
  }
}
