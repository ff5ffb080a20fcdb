import type { Outcome } from '../../../modules/core/outcome.ts'
import { SigningKeyError, type SigningKeys } from '../../../modules/outgoing/webhook/sign-webhook.ts'
import { SecretMissingError } from '../../../modules/runtime/secrets/secret-texts.ts'
import { errorFields, log } from '../../../modules/runtime/telemetry/log.ts'

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
