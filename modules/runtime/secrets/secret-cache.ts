import { REFETCH_MS, SecretMissingError, type SecretTexts } from './secret-texts.ts'
import { tellUnusable } from './tell-unusable.ts'

/** Secrets read into keys. */
export interface SecretCache<T> {
  /**
   * The keys of `id`. Only while Secrets Manager does not answer are old ones kept; an answer that has none shuts everything
   * that needs them within five minutes.
   * @throws SecretMissingError; what `read` throws for a text that is not of its form
   */
  get(id: string): Promise<T>
  /** The keys fetched anew after a failed check, at most once a minute; `undefined` when they are still the same. */
  refetch(id: string): Promise<T | undefined>
}

interface Read<T> {
  readonly text: string
  readonly value?: T
  readonly failure?: { readonly error: unknown; readonly atMs: number }
}

/**
 * Opens one way to read secrets; many may share the texts.
 * @param arns secret ARN by id
 * @param read turns the secret's text into keys, once per text; throws on a wrong form
 */
export function openSecretCache<T>(
  texts: SecretTexts,
  arns: Readonly<Record<string, string>>,
  read: (id: string, text: string) => T,
  nowMs: () => number,
): SecretCache<T> {
  const known = new Map<string, Read<T>>()

  function readOnce(id: string, text: string): T {
    const before = known.get(id)
    if (before?.text === text && before.value !== undefined) return before.value
    if (before?.text === text && before.failure !== undefined && nowMs() - before.failure.atMs < REFETCH_MS) {
      throw before.failure.error
    }
    try {
      const value = read(id, text)
      known.set(id, { text, value })
      return value
    } catch (error) {
      known.set(id, { text, failure: { error, atMs: nowMs() } })
      tellUnusable(id, error)
      throw error
    }
  }

  async function fetch(id: string, way: 'get' | 'getAfresh'): Promise<string | undefined> {
    const arn = arns[id]
    if (arn === undefined) throw new SecretMissingError(id, 'no ARN is configured')
    try {
      return await texts[way](id, arn)
    } catch (error) {
      known.delete(id)
      throw error
    }
  }

  /** A text that could not be read is asked for again once a minute: a person may be filling it in. */
  async function get(id: string): Promise<T> {
    const failure = known.get(id)?.failure
    const isOld = failure !== undefined && nowMs() - failure.atMs >= REFETCH_MS
    const text = await fetch(id, isOld ? 'getAfresh' : 'get')
    return text === undefined ? readOnce(id, (await fetch(id, 'get')) ?? '') : readOnce(id, text)
  }

  return {
    get,
    async refetch(id) {
      const before = known.get(id)
      const text = await fetch(id, 'getAfresh')
      return text === undefined || text === before?.text ? undefined : readOnce(id, text)
    },
  }
}
