import { createHash, randomInt } from 'node:crypto'
import type { SecretsManager } from '../../engines/secrets-manager/open-secrets-manager.ts'
import { asObject, parseJson } from '../template/json.ts'
import type { GenerateSecretString, SecretSpec } from '../template/read-secrets.ts'
import type { HostState } from './host-state.ts'

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/**
 * Makes the secrets of the template and fills those that have a value: the caller's, the template's, or a generated one.
 * A value is written once only, so that a restart neither changes a generated secret nor adds versions.
 */
export function provisionSecrets(options: {
  secrets: SecretSpec[]
  /** Values by logical id, name or path in the CDK app. */
  values: Map<string, string>
  secretsManager: SecretsManager
  state: HostState
}): void {
  const { secretsManager, state } = options
  for (const spec of options.secrets) {
    secretsManager.create(spec.name, spec.description)
    const key = `secret ${spec.name}`
    const value = options.values.get(spec.name) ?? spec.value
    if (value !== undefined && state.readNumber(key) !== fingerprint(value)) {
      secretsManager.put(spec.name, value)
      state.writeNumber(key, fingerprint(value))
    } else if (value === undefined && spec.generate !== undefined && state.readNumber(key) === undefined) {
      const generated = generateSecret(spec.generate)
      secretsManager.put(spec.name, generated)
      state.writeNumber(key, fingerprint(generated))
    }
  }
}

/** A random secret by the rules of GenerateSecretString. */
export function generateSecret(rules: GenerateSecretString): string {
  const alphabet = [...LETTERS_AND_DIGITS, ...(rules.ExcludePunctuation ? '' : PUNCTUATION)].filter(
    (character) => !rules.ExcludeCharacters.includes(character),
  )
  const password = Array.from({ length: rules.PasswordLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  if (rules.SecretStringTemplate === undefined || rules.GenerateStringKey === undefined) return password
  const template = asObject(parseJson(rules.SecretStringTemplate), 'SecretStringTemplate')
  return JSON.stringify({ ...template, [rules.GenerateStringKey]: password })
}

/** Tells one value from another without keeping it: 48 bits, which a number holds exactly. */
function fingerprint(value: string): number {
  return createHash('sha256').update(value).digest().readUIntBE(0, 6)
}
