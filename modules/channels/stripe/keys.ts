import type { KeyObject } from 'node:crypto'
import { secretKey } from '../hmac.ts'
import { readSecretFields } from '../secret-text.ts'

export interface StripeKeys {
  /** Current first, then those that are still valid after a roll (24 h). */
  readonly signingSecrets: readonly KeyObject[]
  readonly apiKey?: string
}

const SIGNING_SECRET = /^whsec_\S{8,}$/

/**
 * `{ "signingSecrets": ["whsec_…"], "apiKey"?: "…" }`
 * The HMAC key is the whole text, `whsec_` included. Source: docs/channels/stripe.md, Keys and certificates
 * @throws KeyFormatError
 */
export function readStripeKeys(secret: string): StripeKeys {
  const fields = readSecretFields('stripe', secret, ['signingSecrets', 'apiKey'])
  const secrets = fields.list('signingSecrets', 1)
  if (!secrets.every((text) => SIGNING_SECRET.test(text))) fields.refuse('signingSecrets', 'needs texts like whsec_…')
  const apiKey = fields.optionalToken('apiKey')
  return {
    signingSecrets: secrets.map((text) => secretKey(Buffer.from(text))),
    ...(apiKey !== undefined && { apiKey }),
  }
}

/** The mode that an API key names itself, `undefined` for one of another form (a connected platform's, a simulator's). */
export function modeOfApiKey(apiKey: string): 'live' | 'test' | undefined {
  const mode = /^[rs]k_(live|test)_/.exec(apiKey)?.[1]
  return mode === 'live' || mode === 'test' ? mode : undefined
}
