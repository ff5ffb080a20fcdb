import { instantOf } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../../outgoing/http/outcome-of-failure.ts'
import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import type { WechatpayAccount } from '../account.ts'
import { apiUrl } from '../api-url.ts'
import type { ClientDeps } from '../client.ts'
import { parseJsonObject } from '../json.ts'
import type { Refusal } from '../refusal.ts'
import type { RsaPublicKey } from '../rsa.ts'
import { isWithinTolerance } from '../signed-time.ts'
import type { WechatpayKeys } from './keys.ts'
import { authorizationOf } from './sign-request.ts'
import { readSignatureHeaders } from './signature-headers.ts'
import { isMessageSigned, isProbe } from './signed-message.ts'

/**
 * WeChat's address; the second, `api2.mch.weixin.qq.com`, can be set as the account's apiBase.
 * Source: docs/channels/wechatpay.md, Query
 */
const OWN_BASE = 'https://api.mch.weixin.qq.com'

export interface WechatpayRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

export type WechatpayResult =
  /** A 2xx whose signature was checked; nothing else may be taken for a success. */
  | { readonly kind: 'signed'; readonly answer: HttpAnswer }
  /** Anything but 2xx: WeChat does not sign errors. */
  | { readonly kind: 'refused'; readonly answer: HttpAnswer; readonly refusal: Refusal }
  | { readonly kind: 'none'; readonly outcome: Outcome }

/** Platform keys that an answer brings along, proved genuine otherwise than by its signature; only certificates come so. */
export type ReadCarriedKeys = (body: Buffer) => WechatpayKeys['platformKeys']

/**
 * Sends one signed request. A 2xx with a wrong signature is no answer; a probe is asked again, once, and never trusted.
 * @param carriedKeys asked for a serial that we do not hold
 * Source: docs/channels/wechatpay.md, Callback and Query
 */
export async function callWechatpay(
  request: WechatpayRequest,
  { account, keys }: { readonly account: WechatpayAccount; readonly keys: WechatpayKeys },
  deps: ClientDeps,
  carriedKeys: ReadCarriedKeys = () => new Map(),
): Promise<WechatpayResult> {
  const first = await send(request, account, keys, deps)
  if (first.kind !== 'answer') return { kind: 'none', outcome: first.outcome }
  const wasProbe = isSuccess(first) && isProbe(first.headers['wechatpay-signature'])
  const answer = wasProbe ? await send(request, account, keys, deps) : first
  if (answer.kind !== 'answer') return { kind: 'none', outcome: answer.outcome }
  if (!isSuccess(answer)) return { kind: 'refused', answer, refusal: refusalOf(answer) }
  const keyOf = (serial: string) => keys.platformKeys.get(serial) ?? carriedKeys(answer.body).get(serial)
  if (isSigned(answer, keyOf, deps.nowMs())) return { kind: 'signed', answer }
  const message = 'A 2xx of WeChat Pay without a signature by a platform key that we hold is no answer.'
  return { kind: 'none', outcome: { kind: 'unknown', code: 'ANSWER_NOT_SIGNED', httpStatus: answer.status, message } }
}

async function send(
  { method, path, body }: WechatpayRequest,
  account: WechatpayAccount,
  keys: WechatpayKeys,
  deps: ClientDeps,
): Promise<HttpAnswer | { readonly kind: 'none'; readonly outcome: Outcome }> {
  const { merchantSerial, merchantPrivateKey } = keys
  if (merchantSerial === undefined || merchantPrivateKey === undefined) {
    const field = merchantSerial === undefined ? 'merchantSerial' : 'merchantPrivateKey'
    const message = `The wechatpay secret has no '${field}'. Fill it in; docs/guide.md shows its form.`
    return { kind: 'none', outcome: { kind: 'misconfigured', code: 'KEY_MISSING', message } }
  }
  const url = apiUrl(account.apiBase ?? OWN_BASE, path)
  const timestampS = Math.floor(deps.nowMs() / 1000)
  const pathWithQuery = `${url.pathname}${url.search}`
  const toSign = { method, pathWithQuery, timestampS, nonce: deps.nonce(), body: body ?? '' }
  const publicKeyId = [...keys.platformKeys.keys()].find((serial) => serial.startsWith('PUB_KEY_ID_'))
  const headers = {
    accept: 'application/json',
    'user-agent': 'backstop/1',
    authorization: authorizationOf(toSign, account.mchId, merchantSerial, merchantPrivateKey),
    // Has the answer signed with the public key instead of a certificate that we may not hold.
    ...(publicKeyId !== undefined && { 'wechatpay-serial': publicKeyId }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const result = await deps.http({ method, url, headers, ...(body !== undefined && { body }) })
  return result.kind === 'answer' ? result : { kind: 'none', outcome: outcomeOfFailure(result.networkErrorType) }
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300
}

function isSigned(
  { headers: given, body }: HttpAnswer,
  keyOf: (serial: string) => RsaPublicKey | undefined,
  nowMs: number,
): boolean {
  const headers = readSignatureHeaders(given)
  if (headers === 'missing' || headers === 'malformed') return false
  // The serial alone chooses the key, as on callbacks; an unknown one fetches nothing here.
  const key = keyOf(headers.serial)
  if (key === undefined || !isMessageSigned(key, headers, body)) return false
  return isWithinTolerance(headers.signedSeconds, instantOf(nowMs))
}

function refusalOf({ body }: HttpAnswer): Refusal {
  const { code, message } = parseJsonObject(body) ?? {}
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : undefined,
  }
}
