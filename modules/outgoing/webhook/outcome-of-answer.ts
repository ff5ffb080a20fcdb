import { maskText } from '../../core/mask.ts'
import type { Outcome } from '../../core/outcome.ts'
import { readRetryAfter } from '../http/retry-after.ts'

/**
 * What a merchant endpoint's answer means. The webhook-id is the same over all tries, so a repeat is safe for a receiver that keeps
 * to the contract; "may have arrived" is still told apart from "never sent".
 * - 2xx done, but 202 not yet · 408, 425, 429, 5xx, 3xx: again, by the ladder · any other 4xx: a person
 * Source: docs/design/outcomes.md
 */
export function outcomeOfAnswer(status: number, retryAfter: string | undefined, body: string, nowMs: number): Outcome {
  const answer = { httpStatus: status, ...(body !== '' && { message: maskText(body) }) }
  if (status === 202) return { kind: 'notYet', code: 'ACCEPTED_NOT_DONE', ...answer }
  if (status >= 200 && status < 300) return { kind: 'done', httpStatus: status }
  if (status >= 300 && status < 400) {
    return { kind: 'transient', code: 'REDIRECTED', httpStatus: status, message: 'Redirects are not followed.' }
  }
  const retryAfterMs = readRetryAfter(retryAfter, nowMs)
  if (AGAIN.has(status) || status >= 500) {
    return { kind: 'unknown', code: `HTTP_${status}`, ...answer, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  return { kind: 'rejected', code: `HTTP_${status}`, ...answer }
}

const AGAIN: ReadonlySet<number> = new Set([408, 425, 429])
