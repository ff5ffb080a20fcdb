import { parseUnixSeconds } from '../signed-time.ts'

export interface SignatureHeader {
  /** As it was signed: the text, not the number. */
  readonly timestamp: string
  readonly signedSeconds: number
  /** The well-formed `v1` values; other schemes are left out. */
  readonly signatures: readonly Buffer[]
  readonly hasV1: boolean
}

/** One per active secret, of each scheme, and the time; a header that holds more is looked at no further. */
export const MAX_HEADER_ITEMS = 100

const HEX_SHA256 = /^[0-9a-f]{64}$/i

/**
 * Reads `t=<unix s>,v1=<hex>[,v1=<hex>…]`. Several `v1` are one per active secret, by Stripe's own rule; a second `t` can
 * only come from a second header and makes the whole malformed.
 * @returns `undefined` when malformed, or of more than {@link MAX_HEADER_ITEMS} items. Source: docs/channels/stripe.md, Callback
 */
export function parseSignatureHeader(text: string): SignatureHeader | undefined {
  const parts = text.split(',', MAX_HEADER_ITEMS + 1)
  if (parts.length > MAX_HEADER_ITEMS) return undefined
  const items = parts.map((item) => {
    const cut = item.indexOf('=')
    return cut === -1 ? undefined : { name: item.slice(0, cut), value: item.slice(cut + 1) }
  })
  const known = items.filter((item) => item !== undefined)
  const timestamps = known.filter((item) => item.name === 't')
  const timestamp = timestamps[0]?.value
  const signedSeconds = timestamp === undefined ? undefined : parseUnixSeconds(timestamp)
  if (known.length !== items.length || timestamps.length !== 1) return undefined
  if (timestamp === undefined || signedSeconds === undefined) return undefined

  const values = known.filter((item) => item.name === 'v1').map((item) => item.value)
  const signatures = values.filter((value) => HEX_SHA256.test(value)).map((value) => Buffer.from(value, 'hex'))
  return { timestamp, signedSeconds, signatures, hasV1: values.length > 0 }
}
