import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

export const SHA256_BYTES = 32

/** A secret as a key object, which no log line and no `inspect` prints. */
export function secretKey(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/**
 * Position of the first key whose HMAC-SHA256 of `parts` is among `signatures`, or `undefined`.
 * One HMAC per key, however many signatures a header lists; each is compared in constant time.
 */
export function matchHmac(
  keys: readonly KeyObject[],
  parts: readonly (string | Uint8Array)[],
  signatures: readonly Uint8Array[],
): number | undefined {
  const position = keys.findIndex((key) => {
    const expected = parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest()
    return signatures.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
  })
  return position === -1 ? undefined : position
}
