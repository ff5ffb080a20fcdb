import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { SecretStore } from './refresh-account.ts'

/** One secret of Secrets Manager, read afresh each time. */
export function openSecretStore(client: SecretsManagerClient, arn: string): SecretStore {
  return {
    async read() {
      try {
        const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }))
        return SecretString === '' ? undefined : SecretString
      } catch (error) {
        // A secret that no version was ever put into.
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
        throw error
      }
    },
    async write(text) {
      await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: text }))
    },
  }
}
