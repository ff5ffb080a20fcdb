import type { Outcome } from '../core/outcome.ts'
import { SecretMissingError } from '../secrets/secret-cache.ts'
import { errorFields, log } from '../telemetry/log.ts'
import { SigningKeyError, type SigningKeys } from '../webhook/sign-webhook.ts'

/**
 * Sends what must be signed with keys that are fetched first. While they cannot be had nothing has left, which must not look like
 * a delivery that may have arrived.
 * @throws SecretMissingError, SigningKeyError for keys that a person must fill in
 */
export async function sendDelivery(
  fetchKeys: () => Promise<SigningKeys>,
  send: (keys: SigningKeys) => Promise<Outcome>,
): Promise<Outcome> {
  let keys: SigningKeys
  try {
    keys = await fetchKeys()
  } catch (error) {
    if (error instanceof SecretMissingError || error instanceof SigningKeyError) throw error
    log('WARN', 'The keys of a delivery could not be fetched.', errorFields(error))
    return { kind: 'transient', code: 'KEYS_UNAVAILABLE', message: 'Secrets Manager did not answer; nothing was sent.' }
  }
  return send(keys)
}
