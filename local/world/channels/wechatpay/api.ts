import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { WechatpayAccount } from '../../../../modules/channels/account.ts'
import { formatBeijingOffset } from '../beijing.ts'
import type { Payment } from '../payment.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson } from '../protocol.ts'
import { isRsaSigned } from '../rsa.ts'
import { seal } from './seal.ts'
import { type SigningKey, signHeaders } from './sign-headers.ts'
import { toTransaction } from './transaction.ts'

interface Place {
  readonly account: WechatpayAccount
  /** Signs the answer. */
  readonly signer: SigningKey
  readonly merchant: SigningKey
  readonly certificate: { readonly serial: string; readonly pem: string }
  readonly apiV3Key: string
}

const MAX_CLOCK_OFFSET_S = 300
const OUT_TRADE_NO = /^[0-9A-Za-z_\-|*]{6,32}$/

/** An error, which WeChat Pay does not sign. */
export function refuseWechatpay(status: number, code: string, message: string): ApiAnswer {
  return answerJson(status, { code, message })
}

/**
 * `/v3/pay/transactions`: native order, query by both numbers, close; `/v3/certificates`.
 * Source: docs/channels/wechatpay.md, Callback and Query and Close
 */
export function answerWechatpay(place: Place, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const refusal = refusalOf(place, request, desk.now())
  if (refusal !== undefined) return refusal
  const { method } = request
  if (method === 'GET' && request.url.pathname === '/v3/certificates') return listCertificates(place, desk)
  const [, v3, pay, transactions, by, id = '', action] = request.url.pathname.split('/').map(decodeURIComponent)
  if (v3 === 'v3' && pay === 'pay' && transactions === 'transactions') {
    if (method === 'POST' && by === 'native' && id === '') return order(place, request, desk)
    if (method === 'POST' && by === 'out-trade-no' && action === 'close') return close(place, request, desk, id)
    if (method === 'GET' && by === 'out-trade-no') return query(place, request, desk, desk.find(id))
    if (method === 'GET' && by === 'id') return query(place, request, desk, paidOnly(desk.findByTxnId(id)))
  }
  return refuseWechatpay(404, 'RESOURCE_NOT_EXISTS', '请求的资源不存在')
}

const AUTHORIZATION = /^WECHATPAY2-SHA256-RSA2048 (.+)$/

function refusalOf({ account, merchant }: Place, request: ApiRequest, nowMs: number): ApiAnswer | undefined {
  if (request.headers['accept'] === undefined || request.headers['user-agent'] === undefined) {
    return refuseWechatpay(400, 'PARAM_ERROR', 'Accept 与 User-Agent 不能为空')
  }
  const list = AUTHORIZATION.exec(request.headers['authorization'] ?? '')?.[1] ?? ''
  const fields = new Map([...list.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [match[1], match[2] ?? '']))
  const timestamp = fields.get('timestamp') ?? ''
  const isFresh = Math.abs(nowMs / 1000 - Number(timestamp)) <= MAX_CLOCK_OFFSET_S
  const body = request.body.toString('utf8')
  const signed = `${request.method}\n${request.target}\n${timestamp}\n${fields.get('nonce_str')}\n${body}\n`
  const isGenuine =
    fields.get('mchid') === account.mchId &&
    fields.get('serial_no') === merchant.serial &&
    isRsaSigned(merchant.key, signed, fields.get('signature') ?? '')
  return isGenuine && timestamp !== '' && isFresh ? undefined : refuseWechatpay(401, 'SIGN_ERROR', '签名错误')
}

function answerSigned({ signer }: Place, status: number, value: object | undefined, nowMs: number): ApiAnswer {
  const body = value === undefined ? '' : JSON.stringify(value)
  const type = value === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers: { ...type, ...signHeaders(signer, body, nowMs) }, body }
}

function listCertificates(place: Place, desk: ApiDesk): ApiAnswer {
  const { serial, pem } = place.certificate
  const { validFromDate, validToDate } = new X509Certificate(pem)
  const listed = {
    serial_no: serial,
    effective_time: formatBeijingOffset(validFromDate.getTime()),
    expire_time: formatBeijingOffset(validToDate.getTime()),
    encrypt_certificate: seal(pem, 'certificate', place.apiV3Key),
  }
  return answerSigned(place, 200, { data: [listed] }, desk.now())
}

const orderSchema = z.object({
  appid: z.string(),
  mchid: z.string(),
  description: z.string().min(1),
  out_trade_no: z.string().regex(OUT_TRADE_NO),
  notify_url: z.string().min(1),
  amount: z.object({ total: z.number().int().min(1), currency: z.literal('CNY').optional() }),
})

function order(place: Place, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const parsed = orderSchema.safeParse(readJson(request.body))
  if (!parsed.success) return refuseWechatpay(400, 'PARAM_ERROR', z.prettifyError(parsed.error))
  const { appid, mchid, out_trade_no: outTradeNo, amount } = parsed.data
  if (mchid !== place.account.mchId) return refuseWechatpay(400, 'MCH_NOT_EXISTS', '商户号不存在')
  if (appid !== place.account.appId) return refuseWechatpay(400, 'APPID_MCHID_NOT_MATCH', 'appid与mchid不匹配')
  const known = desk.find(outTradeNo)
  if (known?.status === 'paid') return refuseWechatpay(400, 'ORDERPAID', '该订单已支付')
  if (known?.status === 'closed') return refuseWechatpay(400, 'ORDER_CLOSED', '该订单已关闭')
  if (known !== undefined && known.amount !== amount.total) {
    return refuseWechatpay(403, 'OUT_TRADE_NO_USED', '商户订单号重复')
  }
  const payment = known ?? desk.place({ outTradeNo, amount: amount.total, currency: 'CNY' })
  return answerSigned(place, 200, { code_url: `weixin://wxpay/bizpayurl?pr=sim${payment.id}` }, desk.now())
}

function query(place: Place, request: ApiRequest, desk: ApiDesk, payment: Payment | undefined): ApiAnswer {
  if (request.url.searchParams.get('mchid') !== place.account.mchId) return wrongMerchant()
  if (payment === undefined) return refuseWechatpay(404, 'ORDER_NOT_EXIST', '订单不存在')
  return answerSigned(place, 200, toTransaction(place.account, payment), desk.now())
}

const closeSchema = z.object({ mchid: z.string() })

function close(place: Place, request: ApiRequest, desk: ApiDesk, outTradeNo: string): ApiAnswer {
  const parsed = closeSchema.safeParse(readJson(request.body))
  if (!parsed.success || parsed.data.mchid !== place.account.mchId) return wrongMerchant()
  const payment = desk.find(outTradeNo)
  if (payment === undefined) return refuseWechatpay(404, 'ORDER_NOT_EXIST', '订单不存在')
  // The page does not name this code; ORDERPAID is what merchants report. Source: docs/channels/wechatpay.md, Close
  if (payment.status === 'paid') return refuseWechatpay(400, 'ORDERPAID', '该订单已支付')
  if (payment.status === 'open') desk.close(payment)
  return answerSigned(place, 204, undefined, desk.now())
}

function wrongMerchant(): ApiAnswer {
  return refuseWechatpay(400, 'PARAM_ERROR', 'mchid 错误')
}

/** WeChat gives a transaction its number only when it is paid. */
function paidOnly(payment: Payment | undefined): Payment | undefined {
  return payment?.status === 'paid' ? payment : undefined
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // refused by the schema, like any other wrong body
  }
}
