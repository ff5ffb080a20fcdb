import type { KeyObject } from 'node:crypto'
import type { StripeAccount } from '../account.ts'
import { KeyFormatError } from '../errors.ts'
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

/** The mode that an API key names itself, `undefined` for one of another form. */
export function modeOfApiKey(apiKey: string): 'live' | 'test' | undefined {
  const mode = /^[a-z]+_(live|test)_/.exec(apiKey)?.[1]
  return mode === 'live' || mode === 'test' ? mode : undefined
}

/**
 * The keys with which an account is asked: a key of the other mode would find nothing of it, and nothing found is no proof.
 * Source: docs/channels/stripe.md, Keys and certificates
 * @throws KeyFormatError when the API key names the other mode
 */
export function readStripeKeysOf({ livemode }: Pick<StripeAccount, 'livemode'>, secret: string): StripeKeys {
  const keys = readStripeKeys(secret)
  const mode = keys.apiKey === undefined ? undefined : modeOfApiKey(keys.apiKey)
  if (mode === undefined || (mode === 'live') === livemode) return keys
  const problem = `is of ${mode} mode, and the account is of ${livemode ? 'live' : 'test'} mode`
  throw new KeyFormatError('stripe', 'apiKey', problem)
}
