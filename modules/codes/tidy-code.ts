/** Blanks of every kind, marks without width, and control characters: what a file or a spreadsheet leaves around a code. */
const AROUND = /^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu

/** What nobody sees inside a code, and what cannot be kept: control characters, marks without width, half characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

export type TidyCode =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * A code as it is known and sold: what stands around it is taken off before anything is made of it, so that one code of two files
 * is one code. Blanks inside stay, since they may be part of it.
 * @returns `refused`, with a problem that never repeats the code, when nothing is left or something invisible stands inside
 */
export function tidyCode(raw: string): TidyCode {
  const text = raw.replaceAll(AROUND, '')
  if (text === '') return { kind: 'refused', problem: 'is empty' }
  return INVISIBLE.test(text)
    ? { kind: 'refused', problem: 'has a control character or another invisible one inside' }
    : { kind: 'code', text }
}
