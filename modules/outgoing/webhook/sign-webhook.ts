import { createHmac } from 'node:crypto'

/** Our own signing secrets: `{ "secrets": ["whsec_…"] }`, current first; all of them sign, so that the merchant can rotate. */
export interface SigningKeys {
  readonly secrets: readonly Buffer[]
}

/** The merchant secret is not of its form. Names the field, never the value. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
  readonly code = 'SIGNING_KEY'

  constructor() {
    super(
      `The merchant secret must be {"secrets": ["whsec_<base64 of 24 to 64 bytes>"]}. Fill it again; see docs/guide.md.`,
    )
  }
}

/** Reads the merchant secret's text. @throws SigningKeyError */
export function readSigningKeys(text: string): SigningKeys {
  const listed = parseSecrets(text)
  const secrets = listed.map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  if (secrets.length === 0 || secrets.some((key) => key.length < 24 || key.length > 64)) throw new SigningKeyError()
  return { secrets }
}

function parseSecrets(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('secrets' in value) || !Array.isArray(value.secrets)) return []
    return value.secrets.filter((secret): secret is string => typeof secret === 'string')
  } catch {
    throw new SigningKeyError()
  }
}

/**
 * The headers of Standard Webhooks 1.0.0: the id stays over all retries, the time is that of this try.
 * @param timestampS Unix seconds
 * Source: docs/channels/standard-webhooks.md
 */
export function signWebhook(
  keys: SigningKeys,
  id: string,
  timestampS: number,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signed = `${id}.${timestampS}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': keys.secrets
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      .join(' '),
  }
}
