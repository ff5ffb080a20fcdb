import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../../outgoing/http/outcome-of-failure.ts'
import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import type { StripeAccount } from '../account.ts'
import { apiUrl } from '../api-url.ts'
import type { ClientDeps } from '../client.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../json.ts'
import { outcomeOfRefusal, type Refusal } from '../refusal.ts'
import type { StripeKeys } from './keys.ts'
import { STRIPE_CODES } from './states.ts'

const OWN_BASE = 'https://api.stripe.com'
/** Fixes the shape of what comes back, whatever the account's own default is. */
const API_VERSION = '2024-06-20'

export interface StripeRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string
}

export type StripeResult =
  | { readonly kind: 'object'; readonly object: JsonObject }
  /** A 4xx with its error object; `outcome` is what it means when the caller knows nothing better. */
  | { readonly kind: 'refused'; readonly code: string; readonly error: JsonObject; readonly outcome: Outcome }
  | { readonly kind: 'none'; readonly outcome: Outcome }

/** Sends one API call. Source: docs/channels/stripe.md, Query */
export async function callStripe(
  request: StripeRequest,
  account: StripeAccount,
  keys: StripeKeys,
  deps: ClientDeps,
): Promise<StripeResult> {
  if (keys.apiKey === undefined) {
    const message = "The stripe secret has no 'apiKey'. Fill it in; docs/guide.md shows its form."
    return { kind: 'none', outcome: { kind: 'misconfigured', code: 'KEY_MISSING', message } }
  }
  const { method, path, parameters, idempotencyKey } = request
  const form = new URLSearchParams(parameters).toString()
  const url = apiUrl(account.apiBase ?? OWN_BASE, method === 'GET' && form !== '' ? `${path}?${form}` : path)
  const result = await deps.http({
    method,
    url,
    headers: {
      authorization: `Bearer ${keys.apiKey}`,
      'stripe-version': API_VERSION,
      'user-agent': 'backstop/1',
      ...(account.account !== undefined && { 'stripe-account': account.account }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body: form }),
  })
  if (result.kind === 'failure') return { kind: 'none', outcome: outcomeOfFailure(result.networkErrorType) }
  return readAnswerOf(result, method === 'GET' ? 'ask' : 'act', deps.nowMs())
}

function readAnswerOf(answer: HttpAnswer, call: 'ask' | 'act', nowMs: number): StripeResult {
  const body = parseJsonObject(answer.body)
  const error = body?.['error']
  if (body !== undefined && answer.status === 200 && error === undefined) return { kind: 'object', object: body }
  const refusal = isJsonObject(error) ? refusalOf(error) : {}
  const outcome = outcomeOfRefusal(answer, refusal, STRIPE_CODES, { call, nowMs })
  const isRefused = isJsonObject(error) && answer.status >= 400 && answer.status < 500
  if (!isRefused) return { kind: 'none', outcome }
  const { suspect: _, ...plain } = outcome
  // "Not found" of a key of the other mode says nothing of the payment, whatever its code: no caller may read it as an answer.
  if (OTHER_MODE.test(String(error['message'] ?? ''))) {
    return { kind: 'none', outcome: { ...plain, kind: 'misconfigured', code: 'KEY_MODE' } }
  }
  const judged: Outcome = answer.status === 403 ? { ...plain, kind: 'misconfigured' } : outcome
  return { kind: 'refused', code: refusal.code ?? '', error, outcome: judged }
}

const OTHER_MODE = /similar object exists in (?:live|test) mode/i

function refusalOf({ code, type, message }: JsonObject): Refusal {
  const word = typeof code === 'string' ? code : type
  return {
    code: typeof word === 'string' ? word : undefined,
    message: typeof message === 'string' ? message : undefined,
  }
}
