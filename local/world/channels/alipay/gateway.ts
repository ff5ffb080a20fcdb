import type { AlipayAccount } from '../../../../modules/channels/account.ts'
import { formatBeijing } from '../beijing.ts'
import type { Payment } from '../payment.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson } from '../protocol.ts'
import { isRsaSigned, signRsa } from '../rsa.ts'
import { formatYuan, parseYuan } from '../yuan.ts'
import { type Parameters, signedText } from './form.ts'

interface Place {
  readonly account: AlipayAccount
  readonly alipayKey: string
  readonly appKey: string
}

type Result = Readonly<Record<string, unknown>>

const OK = { code: '10000', msg: 'Success' }

/**
 * `POST /gateway.do`: precreate, create, query and close. HTTP is always 200; the answer's inner text is signed as it stands.
 * Source: docs/channels/alipay.md, Query and Close
 */
export function answerGateway(place: Place, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  if (request.url.pathname !== '/gateway.do') return answerJson(404, { message: 'Only /gateway.do is here.' })
  const parameters = readParameters(request)
  return answerSigned(place, parameters, refusalOf(place, parameters) ?? run(parameters, desk))
}

/** The answer to a caller who asks too often. */
export function throttleGateway(place: Place, request: ApiRequest): ApiAnswer {
  const limited = { code: '40005', msg: 'Call Limited', sub_code: 'isv.app-call-limited', sub_msg: '应用调用次数超限' }
  return answerSigned(place, readParameters(request), limited)
}

/** Libraries put the common parameters into the address and `biz_content` into the body, or all into the body. */
function readParameters(request: ApiRequest): Parameters {
  return {
    ...Object.fromEntries(request.url.searchParams),
    ...Object.fromEntries(new URLSearchParams(request.body.toString())),
  }
}

function answerSigned({ alipayKey }: Place, parameters: Parameters, result: Result): ApiAnswer {
  const name = `${(parameters['method'] ?? 'error').replaceAll('.', '_')}_response`
  // Alipay escapes slashes: whoever signs over re-serialised JSON fails at once.
  const text = JSON.stringify(result).replaceAll('/', '\\/')
  // An app that is not known has no key to sign for.
  const isUnsigned = result['sub_code'] === 'isv.invalid-app-id'
  const body = isUnsigned ? `{"${name}":${text}}` : `{"${name}":${text},"sign":"${signRsa(alipayKey, text)}"}`
  return { status: 200, headers: { 'content-type': 'text/html;charset=utf-8' }, body }
}

function refusalOf({ account, appKey }: Place, parameters: Parameters): Result | undefined {
  const invalid = (what: string, message: string): Result => ({
    code: '40002',
    msg: 'Invalid Arguments',
    sub_code: `isv.${what}`,
    sub_msg: message,
  })
  if (parameters['app_id'] !== account.appId) return invalid('invalid-app-id', '无效的AppID参数')
  if (parameters['sign_type'] !== 'RSA2') return invalid('invalid-signature-type', '无效的签名类型')
  if ((parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8') return invalid('invalid-charset', '字符集错误')
  const filled = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''))
  const isGenuine = isRsaSigned(appKey, signedText(filled, ['sign']), parameters['sign'] ?? '')
  return isGenuine ? undefined : invalid('invalid-signature', '验签出错')
}

function run(parameters: Parameters, desk: ApiDesk): Result {
  const content = readContent(parameters['biz_content'])
  switch (parameters['method']) {
    case 'alipay.trade.precreate':
      return order(content, desk, false)
    case 'alipay.trade.create':
      return order(content, desk, true)
    case 'alipay.trade.query':
      return onTrade(content, desk, query)
    case 'alipay.trade.close':
      return onTrade(content, desk, (payment) => close(payment, desk))
    default:
      return { code: '40002', msg: 'Invalid Arguments', sub_code: 'isv.invalid-method', sub_msg: '不存在的方法名' }
  }
}

function readContent(text: string | undefined): Result {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // refused below, like any content without its fields
  }
}

function refuse(subCode: string, subMessage: string): Result {
  return { code: '40004', msg: 'Business Failed', sub_code: `ACQ.${subCode}`, sub_msg: subMessage }
}

/** A precreated trade does not exist for queries until the buyer scans the code; a created one waits for the buyer. */
function order(content: Result, desk: ApiDesk, shown: boolean): Result {
  const outTradeNo = content['out_trade_no']
  const amount = parseYuan(content['total_amount'])
  if (typeof outTradeNo !== 'string' || !/^\w{1,64}$/.test(outTradeNo) || amount === undefined || amount === 0) {
    return refuse('INVALID_PARAMETER', '参数无效')
  }
  const known = desk.find(outTradeNo)
  if (known?.status === 'paid') return refuse('TRADE_HAS_SUCCESS', '交易已被支付')
  if (known?.status === 'closed') return refuse('TRADE_HAS_CLOSE', '交易已经关闭')
  if (known !== undefined && known.amount !== amount) return refuse('CONTEXT_INCONSISTENT', '交易信息被篡改')
  const payment = known ?? desk.place({ outTradeNo, amount, currency: 'CNY', shown })
  return shown
    ? { ...OK, out_trade_no: outTradeNo, trade_no: payment.channelTxnId }
    : { ...OK, out_trade_no: outTradeNo, qr_code: `https://qr.alipay.com/${payment.id}` }
}

function onTrade(content: Result, desk: ApiDesk, act: (payment: Payment) => Result): Result {
  const { trade_no: tradeNo, out_trade_no: outTradeNo } = content
  if (typeof tradeNo !== 'string' && typeof outTradeNo !== 'string') return refuse('INVALID_PARAMETER', '参数无效')
  // The channel's own number wins where both stand.
  const payment = typeof tradeNo === 'string' ? desk.findByTxnId(tradeNo) : desk.find(String(outTradeNo))
  return payment?.channelTxnId === undefined ? refuse('TRADE_NOT_EXIST', '交易不存在') : act(payment)
}

function query(payment: Payment): Result {
  const amount = formatYuan(payment.paidAmount ?? payment.amount)
  return {
    ...OK,
    buyer_logon_id: 'bac***@example.com',
    buyer_pay_amount: payment.status === 'paid' ? amount : '0.00',
    buyer_user_id: '2088000000000009',
    invoice_amount: payment.status === 'paid' ? amount : '0.00',
    out_trade_no: payment.outTradeNo,
    point_amount: '0.00',
    receipt_amount: payment.status === 'paid' ? amount : '0.00',
    ...(payment.paidAt !== undefined && { send_pay_date: formatBeijing(payment.paidAt) }),
    total_amount: amount,
    trade_no: payment.channelTxnId,
    trade_status: { open: 'WAIT_BUYER_PAY', paid: 'TRADE_SUCCESS', closed: 'TRADE_CLOSED' }[payment.status],
  }
}

function close(payment: Payment, desk: ApiDesk): Result {
  if (payment.status !== 'open') return refuse('TRADE_STATUS_ERROR', '交易状态不合法')
  desk.close(payment)
  return { ...OK, out_trade_no: payment.outTradeNo, trade_no: payment.channelTxnId }
}
