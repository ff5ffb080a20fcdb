import { sign } from 'node:crypto'
import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../../outgoing/http/outcome-of-failure.ts'
import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import type { AlipayAccount } from '../account.ts'
import { apiUrl } from '../api-url.ts'
import type { ClientDeps } from '../client.ts'
import type { JsonObject } from '../json.ts'
import { outcomeOfRefusal } from '../refusal.ts'
import { isSignedBy } from '../rsa.ts'
import { cutMember } from './cut-member.ts'
import { charsetOf, parseAnswer } from './decode-answer.ts'
import type { AlipayKeys } from './keys.ts'

const OWN_BASE = 'https://openapi.alipay.com'

export type AlipayMethod = 'alipay.trade.query' | 'alipay.trade.close'

export type AlipayResult =
  | {
      readonly kind: 'answer'
      /** The inner object; HTTP is 200 whatever it says. */
      readonly content: JsonObject
      readonly http: HttpAnswer
      /** Gateway refusals of our key or id come without a signature; nothing definite may be read from those. */
      readonly isSigned: boolean
    }
  | { readonly kind: 'none'; readonly outcome: Outcome }

/**
 * Sends one signed gateway call and checks the answer's signature over the raw bytes of its inner object, whatever its charset.
 * Source: docs/channels/alipay.md, Query
 */
export async function callAlipay(
  { method, content }: { readonly method: AlipayMethod; readonly content: Readonly<Record<string, string>> },
  account: AlipayAccount,
  keys: AlipayKeys,
  deps: ClientDeps,
): Promise<AlipayResult> {
  if (keys.appPrivateKey === undefined) {
    const message = "The alipay secret has no 'appPrivateKey'. Fill it in; docs/guide.md shows its form."
    return { kind: 'none', outcome: { kind: 'misconfigured', code: 'KEY_MISSING', message } }
  }
  const parameters = {
    app_id: account.appId,
    method,
    format: 'JSON',
    charset: 'utf-8',
    sign_type: 'RSA2',
    timestamp: beijingTimeOf(deps.nowMs()),
    version: '1.0',
    biz_content: JSON.stringify(content),
  }
  const signature = sign('sha256', Buffer.from(requestStringOf(parameters)), keys.appPrivateKey).toString('base64')
  const result = await deps.http({
    method: 'POST',
    url: apiUrl(account.apiBase ?? OWN_BASE, '/gateway.do'),
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'user-agent': 'backstop/1' },
    body: new URLSearchParams({ ...parameters, sign: signature }).toString(),
  })
  if (result.kind === 'failure') return { kind: 'none', outcome: outcomeOfFailure(result.networkErrorType) }
  return readAnswerOf(result, method, keys, deps.nowMs())
}

/** What a request signs: `sign_type` included, empty values left out, sorted by name. Source: docs/channels/alipay.md, Query */
export function requestStringOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function readAnswerOf(http: HttpAnswer, method: AlipayMethod, keys: AlipayKeys, nowMs: number): AlipayResult {
  const charset = charsetOf(http)
  const own = cutMember(http.body, `${method.replaceAll('.', '_')}_response`, charset)
  const inner = own ?? cutMember(http.body, 'error_response', charset)
  const content = inner === undefined ? undefined : parseAnswer(inner, charset)
  if (inner === undefined || content === undefined) {
    // The gateway itself says 200 always; another status comes from what stands before it.
    const call = method === 'alipay.trade.query' ? 'ask' : 'act'
    return { kind: 'none', outcome: outcomeOfRefusal(http, {}, new Map(), { call, nowMs }) }
  }
  const signature = parseAnswer(http.body, charset)?.['sign']
  if (signature === undefined || signature === '') return { kind: 'answer', content, http, isSigned: false }
  const isSigned =
    typeof signature === 'string' && keys.alipayPublicKeys.some((key) => isSignedBy(key, inner, signature))
  return isSigned ? { kind: 'answer', content, http, isSigned } : { kind: 'none', outcome: notSigned(http) }
}

/** An answer without a right signature is none, whatever it says. */
export function notSigned({ status }: HttpAnswer): Outcome {
  const message = 'An answer of Alipay without a signature by a public key that we hold is no answer.'
  return { kind: 'unknown', code: 'ANSWER_NOT_SIGNED', httpStatus: status, message }
}

function beijingTimeOf(nowMs: number): string {
  return new Date(nowMs + 8 * 3600 * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
