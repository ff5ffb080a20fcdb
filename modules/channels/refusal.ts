import { maskText } from '../core/mask.ts'
import type { Outcome, OutcomeKind } from '../core/outcome.ts'
import { readRetryAfter } from '../outgoing/http/retry-after.ts'
import type { HttpAnswer } from '../outgoing/http/send-request.ts'

/**
 * What a channel's code means: an outcome, or `wrongRequest`: it refuses a parameter, so that perhaps this request alone is wrong.
 * `misconfigured` stays for what every request of the account has: its key, signature and permission.
 */
export type CodeMeaning = OutcomeKind | 'wrongRequest'

/** What a channel's words mean, by its own code. What is not listed is judged by the status alone, and is never final. */
export type CodeTable = ReadonlyMap<string, CodeMeaning>

/**
 * A table whose codes are found however they are spelt: channels write one code with and without underscore, points or capitals
 * (`ORDERNOTEXIST`, `ORDER_NOT_EXIST`).
 */
export function spellingBlind<Meaning>(meanings: Readonly<Record<string, Meaning>>): ReadonlyMap<string, Meaning> {
  return new SpellingBlindMap(Object.entries(meanings))
}

class SpellingBlindMap<Meaning> extends Map<string, Meaning> {
  readonly #byLetters = new Map<string, Meaning>()

  constructor(entries: readonly (readonly [string, Meaning])[]) {
    super()
    for (const [code, meaning] of entries) this.set(code, meaning)
  }

  override set(code: string, meaning: Meaning): this {
    this.#byLetters.set(lettersOf(code), meaning)
    return super.set(code, meaning)
  }

  override get(code: string): Meaning | undefined {
    return this.#byLetters.get(lettersOf(code))
  }

  override has(code: string): boolean {
    return this.#byLetters.has(lettersOf(code))
  }
}

/** Whether two spellings are one code. */
export function isSameCode(one: string | undefined, other: string): boolean {
  return one !== undefined && lettersOf(one) === lettersOf(other)
}

function lettersOf(code: string): string {
  return code.toUpperCase().replaceAll(/[^0-9A-Z]+/g, '')
}

export interface Refusal {
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/**
 * An answer that says nothing definite about a payment, as an outcome.
 * By the channel's table first; else 401 ours to fix, 429 later, 503 later when only asking, all else no answer.
 * @param call whether a repeat is free of any effect (`ask`), or the channel may have acted (`act`)
 * Source: docs/channels/README.md, Outcome of an outgoing call
 */
export function outcomeOfRefusal(
  { status, headers }: HttpAnswer,
  refusal: Refusal,
  table: CodeTable,
  { call, nowMs }: { readonly call: 'ask' | 'act'; readonly nowMs: number },
): Outcome {
  const meaning = (status < 500 ? table.get(refusal.code ?? '') : undefined) ?? kindOfStatus(status, call)
  const retryAfterMs = meaning === 'transient' ? readRetryAfter(headers['retry-after'], nowMs) : undefined
  return {
    ...judgementOf(meaning),
    code: refusal.code === undefined ? codeOfStatus(status) : codeOf(refusal.code),
    httpStatus: status,
    ...(refusal.message !== undefined && { message: maskText(refusal.message) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** A meaning as the part of an outcome that it decides. */
export function judgementOf(meaning: CodeMeaning): Pick<Outcome, 'kind' | 'suspect'> {
  return meaning === 'wrongRequest' ? { kind: 'misconfigured', suspect: 'request' } : { kind: meaning }
}

function kindOfStatus(status: number, call: 'ask' | 'act'): OutcomeKind {
  if (status === 401) return 'misconfigured'
  if (status === 429) return 'transient'
  return status === 503 && call === 'ask' ? 'transient' : 'unknown'
}

function codeOfStatus(status: number): string {
  return status >= 200 && status < 300 ? 'ANSWER_UNREADABLE' : `HTTP_${status}`
}

/** A channel's own word as our kind of code: upper snake case, no long numbers, at most 64 characters. */
export function codeOf(word: string): string {
  const code = maskText(word, 64)
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return code === '' ? 'UNNAMED' : code
}
