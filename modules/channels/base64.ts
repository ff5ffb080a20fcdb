/**
 * The bytes of a standard base64 text that has exactly `length` of them.
 * Node's decoder skips what is not base64 and never fails, so the text must be what its bytes encode to: no blanks, no
 * line breaks, no spare bits. The length is looked at first, so that 10 MB of text cost nothing.
 * Source: docs/channels/README.md, Checks of a callback
 */
export function decodeBase64(text: string, length: number): Buffer | undefined {
  return text.length === 4 * Math.ceil(length / 3) ? decodeAnyBase64(text) : undefined
}

/** As {@link decodeBase64}, for content of any length. */
export function decodeAnyBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
