import { createHash } from 'node:crypto'

const KEY_PART = /^[\x21\x22\x24-\x7e]{1,128}$/

/** A text that may stand between two `#` of a key (`CB#channel#eventId#…`), or `undefined`. */
export function parseKeyPart(text: string): string | undefined {
  return KEY_PART.test(text) ? text : undefined
}

/**
 * The id under which a callback is filed: the channel's own, a digest of it where it cannot stand in a key, and a digest
 * of the body where there is none. The same notice has the same id in all its repeats.
 */
export function eventIdOf(own: unknown, body: Uint8Array): string {
  if (typeof own !== 'string' || own === '') return digestOf(body)
  return parseKeyPart(own) ?? digestOf(Buffer.from(own))
}

function digestOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`
}
