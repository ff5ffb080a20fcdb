import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../http/outcome-of-failure.ts'
import { type HttpLimits, sendRequest } from '../http/send-request.ts'
import { checkAddress } from './check-address.ts'
import { outcomeOfAnswer } from './outcome-of-answer.ts'
import { type SigningKeys, signWebhook } from './sign-webhook.ts'

/** Limits of one webhook call. Source: docs/design/task-times.md, Worker times */
export const CONNECT_TIMEOUT_MS = 2_000
export const TOTAL_TIMEOUT_MS = 10_000
/** An answer is read this far; what follows is not needed. */
export const MAX_ANSWER_BYTES = 16 * 1024

const LIMITS: HttpLimits = {
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  totalTimeoutMs: TOTAL_TIMEOUT_MS,
  maxAnswerBytes: MAX_ANSWER_BYTES,
  longerAnswer: 'cut',
}

export interface Webhook {
  readonly url: string
  /** Fixed over all retries: the receiver's key against doing it twice. */
  readonly id: string
  readonly body: string
}

/**
 * Sends one signed webhook. No redirects, connect and total time limits, a bounded read; every way it can go wrong is an outcome
 * that says whether the merchant may have got it.
 */
export async function sendWebhook(
  webhook: Webhook,
  keys: SigningKeys,
  privateOrigins: ReadonlySet<string>,
  nowMs: () => number,
): Promise<Outcome> {
  const checked = await checkAddress(webhook.url, privateOrigins)
  if (!checked.ok && checked.problem === 'dns') return outcomeOfFailure('dns')
  if (!checked.ok) {
    return {
      kind: 'misconfigured',
      code: 'ADDRESS_NOT_ALLOWED',
      networkErrorType: 'address-not-allowed',
      message: 'A webhook goes to https on a public address; name an inner origin in privateOrigins.',
    }
  }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'backstop/1',
    ...signWebhook(keys, webhook.id, Math.floor(nowMs() / 1000), webhook.body),
  }
  // The name was resolved and judged already; the connection goes to that address and to no other.
  const { url, address, family } = checked
  const request = { method: 'POST', url, headers, body: webhook.body, connectTo: { address, family } } as const
  const result = await sendRequest(request, LIMITS)
  if (result.kind === 'failure') return outcomeOfFailure(result.networkErrorType)
  return outcomeOfAnswer(result.status, result.headers['retry-after'], result.body.toString('utf8'), nowMs())
}
