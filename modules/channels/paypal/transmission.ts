import { parseInstant } from '../../core/instant.ts'
import type { PaypalAccount } from '../account.ts'
import type { RefusalReason } from '../channel.ts'
import { parseCertificateUrl } from './certificate-url.ts'

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

/** Base64 of 256 to 512 bytes: RSA of 2048 to 4096 bits. */
const SIGNATURE = /^[0-9A-Za-z+/]{342,683}={0,2}$/
const ALGORITHM = 'SHA256withRSA'

/**
 * The five headers of a callback that could be taken, or why none of its kind is: the check that costs nothing, before a
 * certificate is fetched and before anything is computed. Names in lower case. Source: docs/channels/paypal.md, Callback
 */
export function checkTransmission(
  headers: Readonly<Record<string, string>>,
  account: PaypalAccount,
): Transmission | Extract<RefusalReason, 'missing-header' | 'malformed' | 'not-allowed'> {
  const transmission = readTransmission(headers)
  if (transmission === 'missing') return 'missing-header'
  if (transmission === 'malformed') return 'malformed'
  const { algorithm, certificateUrl } = transmission
  const isAllowed = algorithm === ALGORITHM && parseCertificateUrl(certificateUrl, account) !== undefined
  return isAllowed ? transmission : 'not-allowed'
}

/** The five headers of a callback, `missing` or `malformed`. */
function readTransmission(headers: Readonly<Record<string, string>>): Transmission | 'missing' | 'malformed' {
  const id = headers['paypal-transmission-id']
  const time = headers['paypal-transmission-time']
  const signature = headers['paypal-transmission-sig']
  const certificateUrl = headers['paypal-cert-url']
  const algorithm = headers['paypal-auth-algo']
  if (id === undefined || time === undefined || signature === undefined) return 'missing'
  if (certificateUrl === undefined || algorithm === undefined) return 'missing'
  const isPlain = ID.test(id) && parseInstant(time) !== undefined && SIGNATURE.test(signature)
  return isPlain ? { id, time, signature, certificateUrl, algorithm } : 'malformed'
}
