import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { isUnavailable } from '../is-unavailable.ts'
import { errorFields, log } from '../telemetry/log.ts'
import { tellUnusable } from './tell-unusable.ts'

/** How long a secret is kept. Source: docs/design/layers.md */
export const KEEP_MS = 5 * 60 * 1000
/** How soon after the last fetch a failed check may fetch again. Source: docs/design/layers.md */
export const REFETCH_MS = 60 * 1000

/** Secrets Manager answered, and the answer has no secret: absent, never filled, not given to us. What needs it fails closed. */
export class SecretMissingError extends Error {
  override readonly name = 'SecretMissingError'
  readonly code = 'SECRET_MISSING'

  constructor(id: string, cause: unknown) {
    super(`The secret of '${id}' has no value that we get. Fill it in Secrets Manager; docs/guide.md shows its form.`, {
      cause,
    })
  }
}

/** The texts of secrets in the memory of one Lambda environment: one cache per process, whoever reads them. */
export interface SecretTexts {
  /** The text of a secret, fetched when it was never asked for or is five minutes old. @throws SecretMissingError */
  get(id: string, arn: string): Promise<string>
  /** The text after a fetch of now, or the one held when the last fetch was within the minute. @throws as `get` */
  getAfresh(id: string, arn: string): Promise<string | undefined>
}

interface Held {
  readonly text?: string
  readonly fetchedAtMs?: number
  readonly failure?: { readonly error: unknown; readonly atMs: number }
}

export function openSecretTexts(client: SecretsManagerClient, nowMs: () => number): SecretTexts {
  const held = new Map<string, Held>()
  const pending = new Map<string, Promise<string>>()

  async function ask(id: string, arn: string): Promise<string> {
    try {
      const text = await fetchText(client, id, arn)
      held.set(arn, { text, fetchedAtMs: nowMs() })
      return text
    } catch (error) {
      const before = held.get(arn)
      const failure = { error, atMs: nowMs() }
      // The channel's rotation overlaps for hours, so an old key is better than none; but a secret that was taken away is gone.
      if (!isUnavailable(error) || before?.text === undefined) {
        held.set(arn, { failure })
        if (!isUnavailable(error)) tellUnusable(id, error)
        throw error
      }
      held.set(arn, { ...before, failure })
      log('WARN', 'Secrets Manager does not answer; an old secret is kept.', { secret: id, ...errorFields(error) })
      return before.text
    }
  }

  /** Callers at the same moment share one call. */
  function askOnce(id: string, arn: string): Promise<string> {
    const running = pending.get(arn)
    if (running !== undefined) return running
    const started = ask(id, arn).finally(() => pending.delete(arn))
    pending.set(arn, started)
    return started
  }

  const isYoung = (atMs: number | undefined, ageMs: number): boolean => atMs !== undefined && nowMs() - atMs < ageMs

  return {
    async get(id, arn) {
      const { text, fetchedAtMs, failure } = held.get(arn) ?? {}
      const failedJustNow = isYoung(failure?.atMs, REFETCH_MS)
      if (text !== undefined && (failedJustNow || isYoung(fetchedAtMs, KEEP_MS))) return text
      if (failedJustNow) throw failure?.error
      return askOnce(id, arn)
    },
    async getAfresh(id, arn) {
      const { text, fetchedAtMs, failure } = held.get(arn) ?? {}
      if (!pending.has(arn) && (isYoung(fetchedAtMs, REFETCH_MS) || isYoung(failure?.atMs, REFETCH_MS))) return text
      return askOnce(id, arn)
    },
  }
}

async function fetchText(client: SecretsManagerClient, id: string, arn: string): Promise<string> {
  let text: string | undefined
  try {
    text = (await client.send(new GetSecretValueCommand({ SecretId: arn }))).SecretString
  } catch (error) {
    throw isUnavailable(error) ? error : new SecretMissingError(id, error)
  }
  if (text === undefined || text === '') throw new SecretMissingError(id, 'it has no text')
  return text
}
