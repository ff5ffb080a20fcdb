import { createHash } from 'node:crypto'

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ23456789'

/** A number like Adyen's: 16 capitals and digits, the same for the same inputs. */
export function pspReferenceOf(seed: string, name: string | number): string {
  const digest = createHash('sha256').update(`${seed}|${name}`).digest()
  return Array.from(digest.subarray(0, 16), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
}
