/**
 * A channel's own word as a ticket and a metric can hold it: printable, without blanks, at most 64 characters.
 * @param words the parts of the word, joined by a slash; an absent one is left out
 */
export function channelCodeOf(...words: readonly (string | undefined)[]): string {
  const told = words.filter((word) => word !== undefined && word !== '').join('/')
  const code = told.replaceAll(/[^\x21\x22\x24-\x7e]+/g, '_').slice(0, 64)
  return code === '' ? 'UNNAMED' : code
}
