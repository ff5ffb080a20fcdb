/** The parameters of a form, each value decoded once, to the bytes of the sender's charset. */
export type Form = ReadonlyMap<string, Buffer>

/** A trade notice has about 40; a body of 36,000 would cost more than the whole check of a genuine one. */
export const MAX_PARAMETERS = 200

const NAME = /^[0-9A-Za-z_.-]{1,64}$/
const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

/**
 * Splits and decodes `application/x-www-form-urlencoded` bytes without a charset: what Alipay signs is bytes.
 * @returns `undefined` when a parameter stands twice (parsers differ on first or last), a name is not plain, a percent sign starts
 * no byte, or there are more than {@link MAX_PARAMETERS}, which is seen before any of them is looked at. Nothing is trimmed,
 * dropped or decoded twice. Source: docs/channels/alipay.md, Callback
 */
export function parseForm(body: Buffer): Form | undefined {
  if (!hasFewParameters(body)) return undefined
  const form = new Map<string, Buffer>()
  // latin1 keeps one character per byte, so that text functions work on bytes.
  for (const pair of body.toString('latin1').split('&')) {
    const cut = pair.indexOf('=')
    const name = cut === -1 ? pair : pair.slice(0, cut)
    const value = cut === -1 ? Buffer.alloc(0) : decodeValue(pair.slice(cut + 1))
    if (value === undefined || !NAME.test(name) || form.has(name)) return undefined
    form.set(name, value)
  }
  return form
}

function hasFewParameters(body: Buffer): boolean {
  let count = 1
  for (let at = body.indexOf('&'); at !== -1 && count <= MAX_PARAMETERS; at = body.indexOf('&', at + 1)) count += 1
  return count <= MAX_PARAMETERS
}

function decodeValue(encoded: string): Buffer | undefined {
  const bytes = Buffer.alloc(encoded.length)
  let length = 0
  for (let i = 0; i < encoded.length; i += 1) {
    const code = encoded.charCodeAt(i)
    if (code === PERCENT) {
      const hex = encoded.slice(i + 1, i + 3)
      if (!/^[0-9A-Fa-f]{2}$/.test(hex)) return undefined
      bytes[length] = Number.parseInt(hex, 16)
      i += 2
    } else {
      bytes[length] = code === PLUS ? SPACE : code
    }
    length += 1
  }
  return bytes.subarray(0, length)
}

/** A value that is plain ASCII by its nature (an id, a status, a signature); empty is absent. */
export function asciiOf(form: Form, name: string): string | undefined {
  const value = form.get(name)
  return value === undefined || value.length === 0 ? undefined : value.toString('latin1')
}

const CHARSETS = new Set(['utf-8', 'utf8', 'gbk', 'gb2312', 'gb18030'])

/**
 * All values as text in the form's own `charset` (UTF-8 when it names none). An empty value is left out, and so is one whose bytes
 * are no text in it: whatever decides is plain ASCII, which all these charsets share, so that a damaged subject costs the subject.
 * @returns `undefined` for another charset
 */
export function decodeForm(form: Form): ReadonlyMap<string, string> | undefined {
  const charset = (asciiOf(form, 'charset') ?? 'utf-8').toLowerCase()
  if (!CHARSETS.has(charset)) return undefined
  const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true })
  const values = new Map<string, string>()
  for (const [name, value] of form) {
    const text = value.length === 0 ? undefined : decode(decoder, value)
    if (text !== undefined) values.set(name, text)
  }
  return values
}

function decode(decoder: InstanceType<typeof TextDecoder>, value: Buffer): string | undefined {
  try {
    return decoder.decode(value)
  } catch {
    return undefined // no text in this charset: the same as absent
  }
}
