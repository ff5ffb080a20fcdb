import type { Parsed, VerifiedCallback } from '../channels/channel.ts'
import type { Parse } from '../channels/parsers.ts'
import type { SecretCache } from '../runtime/secrets/secret-cache.ts'

/**
 * Reads a verified callback by its channel's keys. A notice that only our keys cannot open is read again by keys fetched anew, at
 * most once a minute: a rotation reaches one environment later than another.
 * @throws SecretMissingError, KeyFormatError: ours to mend, and no news of the notice
 */
export async function parseByKeys(keys: SecretCache<Parse>, verified: VerifiedCallback): Promise<Parsed> {
  const parsed = (await keys.get(verified.channel))(verified)
  if (parsed.ok || parsed.isKeyFault !== true) return parsed
  const fresh = await keys.refetch(verified.channel)
  return fresh === undefined ? parsed : fresh(verified)
}
