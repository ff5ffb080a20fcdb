import type { Outcome } from '../../core/outcome.ts'
import type { WechatpayAccount } from '../account.ts'
import type { ClientDeps } from '../client.ts'
import { isJsonObject, parseJsonObject } from '../json.ts'
import { outcomeOfRefusal } from '../refusal.ts'
import { openSealed } from './aead.ts'
import { callWechatpay } from './call.ts'
import type { WechatpayKeys } from './keys.ts'
import { type PlatformCertificate, readPlatformCertificate } from './platform-certificate.ts'
import { WECHATPAY_CODES } from './states.ts'

export type FetchedCertificates =
  | { readonly kind: 'fetched'; readonly certificates: readonly PlatformCertificate[] }
  /** 403 or 404: WeChat Pay has none for this merchant, who uses the public key alone. */
  | { readonly kind: 'none issued'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly outcome: Outcome }

const PATH = '/v3/certificates'

/**
 * Asks WeChat Pay for its certificates that are not over, with those that begin later. Two things prove them genuine: each is sealed
 * with our APIv3 key, and the answer is signed by a platform key that we hold or, the first time, by one that it brings. One that is
 * wrong has the whole answer refused.
 * Source: docs/channels/wechatpay.md, Keys and certificates
 */
export async function fetchCertificates(
  account: WechatpayAccount,
  keys: WechatpayKeys,
  deps: ClientDeps,
): Promise<FetchedCertificates> {
  const request = { method: 'GET', path: PATH } as const
  const result = await callWechatpay(request, { account, keys }, deps, (body) => {
    const inForce = (readAnswer(body, keys) ?? []).filter((one) => isInForce(one, deps.nowMs()))
    return new Map(inForce.map(({ serial, key }) => [serial, key]))
  })
  if (result.kind === 'none') return { kind: 'failed', outcome: result.outcome }
  if (result.kind === 'refused') {
    const outcome = outcomeOfRefusal(result.answer, result.refusal, WECHATPAY_CODES, {
      call: 'ask',
      nowMs: deps.nowMs(),
    })
    const { status } = result.answer
    return { kind: status === 403 || status === 404 ? 'none issued' : 'failed', outcome }
  }
  const certificates = readAnswer(result.answer.body, keys)
  if (certificates === undefined) {
    return failed(
      'CERTIFICATE_NOT_GENUINE',
      'A certificate cannot be opened with our APIv3 keys, or is not what it says.',
    )
  }
  const lasting = certificates.filter(({ validToMs }) => validToMs > deps.nowMs())
  if (lasting.length === 0)
    return failed('NO_VALID_CERTIFICATE', 'WeChat Pay listed no certificate that is still valid.')
  return { kind: 'fetched', certificates: lasting }
}

/** All certificates of an answer, or `undefined` when one of them is not genuine. */
function readAnswer(body: Buffer, { apiV3Keys }: WechatpayKeys): readonly PlatformCertificate[] | undefined {
  const data = parseJsonObject(body)?.['data']
  if (!Array.isArray(data)) return undefined
  const read = data.map((item: unknown) => readItem(item, apiV3Keys)).filter((one) => one !== undefined)
  return read.length === data.length ? read : undefined
}

function readItem(item: unknown, apiV3Keys: WechatpayKeys['apiV3Keys']): PlatformCertificate | undefined {
  if (!isJsonObject(item)) return undefined
  const { serial_no: serial, encrypt_certificate: sealed } = item
  if (typeof serial !== 'string' || !isJsonObject(sealed)) return undefined
  const { algorithm, nonce, ciphertext, associated_data: associatedData = '' } = sealed
  if (algorithm !== 'AEAD_AES_256_GCM') return undefined
  if (typeof nonce !== 'string' || typeof ciphertext !== 'string' || typeof associatedData !== 'string')
    return undefined
  const opened = openSealed({ nonce, ciphertext, associatedData }, apiV3Keys)
  const certificate = opened === undefined ? undefined : readPlatformCertificate(opened.toString('utf8'))
  return certificate?.serial === serial.toUpperCase() ? certificate : undefined
}

function isInForce({ validFromMs, validToMs }: PlatformCertificate, nowMs: number): boolean {
  return validFromMs <= nowMs && nowMs < validToMs
}

function failed(code: string, message: string): FetchedCertificates {
  return { kind: 'failed', outcome: { kind: 'unknown', code, message } }
}
