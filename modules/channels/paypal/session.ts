import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../../outgoing/http/outcome-of-failure.ts'
import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import type { PaypalAccount } from '../account.ts'
import { apiUrl } from '../api-url.ts'
import type { ClientDeps } from '../client.ts'
import { type JsonObject, parseJsonObject } from '../json.ts'
import { outcomeOfRefusal } from '../refusal.ts'
import type { PaypalKeys } from './keys.ts'
import { PAYPAL_CODES, PAYPAL_NOT_FOUND } from './states.ts'

export type PaypalResult =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'none'; readonly outcome: Outcome }

/** The app's token, kept over the questions of one environment. Filled by {@link askPaypal} only. */
export interface PaypalSession {
  readonly keys: PaypalKeys
  token?: { readonly text: string; readonly goodUntilMs: number }
}

/** What every question of an account is asked with. */
export interface PaypalCall {
  readonly account: PaypalAccount
  readonly session: PaypalSession
  readonly deps: ClientDeps
}

/** A token is not used in its last minute. */
const TOKEN_MARGIN_MS = 60_000

/** Asks with the kept token; a 401 fetches a new one, once. Source: docs/channels/paypal.md, Query */
export async function askPaypal(
  path: string,
  account: PaypalAccount,
  session: PaypalSession,
  deps: ClientDeps,
): Promise<PaypalResult> {
  const held = session.token !== undefined && session.token.goodUntilMs > deps.nowMs()
  const first = await askOnce(path, account, session, deps)
  if (!held || first.kind !== 'none' || first.outcome.httpStatus !== 401) return first
  delete session.token
  return askOnce(path, account, session, deps)
}

async function askOnce(
  path: string,
  account: PaypalAccount,
  session: PaypalSession,
  deps: ClientDeps,
): Promise<PaypalResult> {
  const token = await tokenOf(account, session, deps)
  if (typeof token !== 'string') return { kind: 'none', outcome: token }
  const result = await deps.http({
    method: 'GET',
    url: apiUrl(baseOf(account), path),
    headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'backstop/1' },
  })
  if (result.kind === 'failure') return { kind: 'none', outcome: outcomeOfFailure(result.networkErrorType) }
  const object = parseJsonObject(result.body)
  if (result.status === 200 && object !== undefined) return { kind: 'object', object }
  if (result.status === 404 && object?.['name'] === PAYPAL_NOT_FOUND) return { kind: 'notFound' }
  return { kind: 'none', outcome: outcomeOfError(result, object, deps.nowMs()) }
}

async function tokenOf(account: PaypalAccount, session: PaypalSession, deps: ClientDeps): Promise<string | Outcome> {
  if (session.token !== undefined && session.token.goodUntilMs > deps.nowMs()) return session.token.text
  const { clientId, clientSecret } = session.keys
  if (clientId === undefined || clientSecret === undefined) {
    const field = clientId === undefined ? 'clientId' : 'clientSecret'
    const message = `The paypal secret has no '${field}'. Fill it in; docs/guide.md shows its form.`
    return { kind: 'misconfigured', code: 'KEY_MISSING', message }
  }
  const result = await deps.http({
    method: 'POST',
    url: apiUrl(baseOf(account), '/v1/oauth2/token'),
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'backstop/1',
    },
    body: 'grant_type=client_credentials',
  })
  // Without a token nothing was asked, whatever became of the request for it.
  if (result.kind === 'failure') return { kind: 'transient', networkErrorType: result.networkErrorType }
  const object = parseJsonObject(result.body)
  const text = object?.['access_token']
  const lifeS = object?.['expires_in']
  if (result.status !== 200 || typeof text !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(text)) {
    // No parameter of this question's own was sent: what is wrong with the request for a token is wrong for all.
    const { suspect: _, ...outcome } = outcomeOfError(result, object, deps.nowMs())
    return outcome.kind === 'unknown' ? { ...outcome, kind: 'transient' } : outcome
  }
  const lifeMs = typeof lifeS === 'number' ? lifeS * 1000 : 0
  session.token = { text, goodUntilMs: deps.nowMs() + lifeMs - TOKEN_MARGIN_MS }
  return text
}

function baseOf({ apiBase, sandbox }: PaypalAccount): string {
  return apiBase ?? (sandbox ? 'https://api-m.sandbox.paypal.com' : 'https://api-m.paypal.com')
}

function outcomeOfError(answer: HttpAnswer, object: JsonObject | undefined, nowMs: number): Outcome {
  const { name, error, message } = object ?? {}
  const code = name ?? error
  const refusal = {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : undefined,
  }
  return outcomeOfRefusal(answer, refusal, PAYPAL_CODES, { call: 'ask', nowMs: nowMs })
}
