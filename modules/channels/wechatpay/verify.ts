import type { Instant } from '../../core/instant.ts'
import type { WechatpayAccount } from '../account.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import type { JsonObject } from '../json.ts'
import { isWithinTolerance } from '../signed-time.ts'
import { readWechatpayKeys, type WechatpayKeys } from './keys.ts'
import { openNotice } from './open-notice.ts'
import { readSignatureHeaders } from './signature-headers.ts'
import { isMessageSigned, isProbe } from './signed-message.ts'

/** WeChat Pay's callback check. Source: docs/channels/wechatpay.md, Callback */
export const wechatpayVerifier: CallbackVerifier<WechatpayAccount, WechatpayKeys> = {
  readKeys: readWechatpayKeys,
  verify: verifyWechatpay,
  ack: { status: 200, headers: {}, body: '' },
  // The status alone decides: 200 with FAIL would count as received.
  refusal: {
    status: 401,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"code":"FAIL","message":"失败"}',
  },
}

const SIGNATURE_TYPE = 'WECHATPAY2-SHA256-RSA2048'

function verifyWechatpay(
  request: CallbackRequest,
  account: WechatpayAccount,
  keys: WechatpayKeys,
  receivedAt: Instant,
): Verification {
  const { headers: given, body } = request
  const headers = readSignatureHeaders(given)
  if (headers === 'missing') return { ok: false, reason: isV2Notice(body) ? 'not-allowed' : 'missing-header' }
  if (headers === 'malformed') return { ok: false, reason: 'malformed' }
  if ((given['wechatpay-signature-type'] ?? SIGNATURE_TYPE) !== SIGNATURE_TYPE) {
    return { ok: false, reason: 'not-allowed' }
  }
  if (isProbe(headers.signature)) return { ok: false, reason: 'bad-signature', probe: true }

  // The serial alone chooses the key; "any key that fits" would let an old one vouch for a new one's name.
  const key = keys.platformKeys.get(headers.serial)
  const keyName = headers.serial
  if (key === undefined) return { ok: false, reason: 'unknown-key', keyName }
  if (!isMessageSigned(key, headers, body)) return { ok: false, reason: 'bad-signature', keyName }
  if (!isWithinTolerance(headers.signedSeconds, receivedAt)) return { ok: false, reason: 'out-of-tolerance' }

  const notice = openNotice(body, keys.apiV3Keys)
  if (!notice.ok) return { ok: false, reason: notice.reason }
  const foreign = foreignPartOf(notice.envelope, notice.content, account)
  if (foreign !== undefined) return { ok: false, reason: 'not-ours', code: foreign }
  return {
    ok: true,
    verified: proveVerified({
      channel: account.id,
      receivedAt,
      keyId: headers.serial,
      headers: {
        'wechatpay-timestamp': headers.timestamp,
        'wechatpay-nonce': headers.nonce,
        'wechatpay-serial': headers.serial,
        'wechatpay-signature': headers.signature,
      },
      body,
    }),
  }
}

// Refunds made by v2 or on the merchant platform can send their XML here; it has none of the v3 headers.
function isV2Notice(body: Buffer): boolean {
  return body.subarray(0, 64).toString('latin1').trimStart().startsWith('<')
}

const MONEY_OF_ORDERS = /^(?:TRANSACTION\.SUCCESS$|REFUND\.)/

type ForeignPart = 'SERVICE_PROVIDER_ORDER' | 'COMBINED_ORDER' | 'MERCHANT' | 'APP'

/**
 * What makes a notice about money none of ours. Orders of a service provider and combined ones have numbers of their own, and no
 * order of ours stands behind them. Other products name their merchant elsewhere, and decide nothing.
 * Source: docs/channels/wechatpay.md, Not supported
 */
function foreignPartOf(envelope: JsonObject, content: JsonObject, account: WechatpayAccount): ForeignPart | undefined {
  const eventType = envelope['event_type']
  if (typeof eventType !== 'string' || !MONEY_OF_ORDERS.test(eventType)) return undefined
  if ('combine_out_trade_no' in content || 'combine_mchid' in content) return 'COMBINED_ORDER'
  if ('sp_mchid' in content || 'sub_mchid' in content) return 'SERVICE_PROVIDER_ORDER'
  if (content['mchid'] !== account.mchId) return 'MERCHANT'
  // Refund notices have no appid; where one stands it must be ours all the same.
  const appId = content['appid'] ?? (eventType.startsWith('REFUND.') ? account.appId : undefined)
  return appId === account.appId ? undefined : 'APP'
}
