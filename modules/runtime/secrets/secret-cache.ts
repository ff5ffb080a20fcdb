import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

/** How long a secret is kept. Source: docs/design/layers.md */
export const KEEP_MS = 5 * 60 * 1000
/** How soon after the last fetch a failed check may fetch again. Source: docs/design/layers.md */
export const REFETCH_MS = 60 * 1000

/** A secret that is absent or was never filled: everything that needs it fails closed. */
export class SecretMissingError extends Error {
  override readonly name = 'SecretMissingError'
  readonly code = 'SECRET_MISSING'

  constructor(id: string, cause: unknown) {
    super(`The secret of '${id}' has no value. Fill it in Secrets Manager; docs/guide.md shows its form.`, { cause })
  }
}

interface Entry<T> {
  readonly value: T
  readonly text: string
  readonly fetchedAtMs: number
}

export interface SecretCache<T> {
  /** The secret of `id`, fetched when it was never asked for or is five minutes old. @throws SecretMissingError */
  get(id: string): Promise<T>
  /**
   * The secret fetched anew after a failed check, at most once a minute; `undefined` when it is too early to ask again or the
   * secret is still the same text.
   */
  refetch(id: string): Promise<T | undefined>
}

/**
 * Secrets kept in the memory of one Lambda environment, read into typed keys once per fetch.
 * @param arns secret ARN by id
 * @param read turns the secret's text into keys; throws on a wrong form
 */
export function openSecretCache<T>(
  client: SecretsManagerClient,
  arns: Readonly<Record<string, string>>,
  read: (id: string, text: string) => T,
  nowMs: () => number,
): SecretCache<T> {
  const entries = new Map<string, Entry<T>>()
  const failures = new Map<string, { readonly error: unknown; readonly atMs: number }>()
  const pending = new Map<string, Promise<T>>()

  async function ask(id: string): Promise<T> {
    try {
      const text = await readText(client, id, arns[id])
      const known = entries.get(id)
      const value = known?.text === text ? known.value : read(id, text)
      entries.set(id, { value, text, fetchedAtMs: nowMs() })
      failures.delete(id)
      return value
    } catch (error) {
      failures.set(id, { error, atMs: nowMs() })
      throw error
    }
  }

  /** Callers at the same moment share one call. */
  function askOnce(id: string): Promise<T> {
    const running = pending.get(id)
    if (running !== undefined) return running
    const started = ask(id).finally(() => pending.delete(id))
    pending.set(id, started)
    return started
  }

  return {
    async get(id) {
      const known = entries.get(id)
      if (known !== undefined && nowMs() - known.fetchedAtMs < KEEP_MS) return known.value
      const failure = failures.get(id)
      const failedJustNow = failure !== undefined && nowMs() - failure.atMs < REFETCH_MS
      if (failedJustNow && known === undefined) throw failure.error
      if (failedJustNow && known !== undefined) return known.value
      // An old key is better than none while Secrets Manager does not answer: the channel's rotation overlaps for hours.
      return askOnce(id).catch((error: unknown) => {
        if (known === undefined) throw error
        return known.value
      })
    },
    async refetch(id) {
      const before = entries.get(id)
      const lastMs = Math.max(before?.fetchedAtMs ?? 0, failures.get(id)?.atMs ?? 0)
      if (!pending.has(id) && nowMs() - lastMs < REFETCH_MS) return undefined
      const after = await askOnce(id)
      return after === before?.value ? undefined : after
    },
  }
}

async function readText(client: SecretsManagerClient, id: string, arn: string | undefined): Promise<string> {
  if (arn === undefined) throw new SecretMissingError(id, 'no ARN is configured')
  const answer = await client.send(new GetSecretValueCommand({ SecretId: arn })).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') throw new SecretMissingError(id, error)
    throw error
  })
  if (answer.SecretString === undefined || answer.SecretString === '')
    throw new SecretMissingError(id, 'it has no text')
  return answer.SecretString
}
