import { parseInstant } from '../../core/instant.ts'

export interface Transmission {
  readonly id: string
  /** As it was signed: the text. */
  readonly time: string
  readonly signature: string
  readonly certificateUrl: string
  readonly algorithm: string
}

/** No bar, which would move the border to the time in what is signed; no comma, which two joined headers leave. */
const ID = /^[\x21-\x2b\x2d-\x7b\x7d\x7e]{1,128}$/

/** The five headers of a callback, `missing` or `malformed`. Names in lower case. Source: docs/channels/paypal.md, Callback */
export function readTransmission(headers: Readonly<Record<string, string>>): Transmission | 'missing' | 'malformed' {
  const id = headers['paypal-transmission-id']
  const time = headers['paypal-transmission-time']
  const signature = headers['paypal-transmission-sig']
  const certificateUrl = headers['paypal-cert-url']
  const algorithm = headers['paypal-auth-algo']
  if (id === undefined || time === undefined || signature === undefined) return 'missing'
  if (certificateUrl === undefined || algorithm === undefined) return 'missing'
  const isPlain = ID.test(id) && parseInstant(time) !== undefined && !signature.includes(',')
  return isPlain ? { id, time, signature, certificateUrl, algorithm } : 'malformed'
}
