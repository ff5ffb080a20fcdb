import type { AlipayAccount } from '../../../../modules/channels/account.ts'
import { beijingDay, formatBeijing } from '../beijing.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import type { Payment } from '../payment.ts'
import { damage, type Protocol } from '../protocol.ts'
import { makeRsaKey, publicPemOf, signRsa } from '../rsa.ts'
import { formatYuan } from '../yuan.ts'
import { type Charset, encodeForm, encodeText, type Parameters, signedText } from './form.ts'
import { answerGateway, throttleGateway } from './gateway.ts'

const MINUTE = 60_000
/** 4 min, 10 min, 10 min, 1 h, 2 h, 6 h, 15 h: eight sends in 24 h 24 min. Source: docs/channels/alipay.md, Acknowledgement and repeats */
const RESEND_AFTER_MS = [4, 10, 10, 60, 120, 360, 900].map((minutes) => minutes * MINUTE)
/** Not documented; short enough for a local run to go on. */
const ANSWER_TIMEOUT_MS = 5_000
const BUYER = '2088000000000009'

/** Alipay's own key pair and the application's. */
export async function makeAlipayKeys(): Promise<Keys> {
  const [alipayKey, appKey] = await Promise.all([makeRsaKey(), makeRsaKey()])
  return { alipayKey, appKey }
}

/** Alipay's asynchronous notices and its gateway. @param charset of the notices. Source: docs/channels/alipay.md */
export function openAlipayProtocol(account: AlipayAccount, keys: Keys, charset: Charset = 'utf-8'): Protocol {
  const alipayKey = keyOf(keys, 'alipayKey')
  const appKey = keyOf(keys, 'appKey')

  return {
    secret: JSON.stringify({ alipayPublicKeys: [publicPemOf(alipayKey)], appPrivateKey: appKey }),
    onlyCurrency: 'CNY',
    paysAgain: false,
    tampers: ['signature', 'amount', 'account'],
    resendAfterMs: RESEND_AFTER_MS,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    isAck: (status, body) => status === 200 && body.equals(Buffer.from('success')),
    newTxnId: (number, nowMs) => `${beijingDay(nowMs)}22001${String(number).padStart(15, '0')}`,
    newEventId: (number, nowMs) => `${beijingDay(nowMs)}00222${String(number).padStart(21, '0')}`,
    // Only TRADE_SUCCESS is sent by default: no notice tells of a refused try or a close.
    describe: (event, payment, eventId) =>
      event === 'paid' ? JSON.stringify(describePaid(account, payment, eventId, charset)) : undefined,
    encode: (content, _eventId, nowMs, tamper) => {
      const described: Parameters = JSON.parse(content)
      const facts: Parameters = {
        ...described,
        notify_time: formatBeijing(nowMs),
        ...(tamper === 'account' && { app_id: '2026000100019999', seller_id: '2088000000009999' }),
      }
      const genuine = signRsa(alipayKey, encodeText(signedText(facts, []), charset))
      const sign = tamper === 'signature' ? damage(genuine) : genuine
      const sent = tamper === 'amount' ? { ...facts, total_amount: `9${facts['total_amount']}` } : facts
      return {
        headers: {
          'content-type': `application/x-www-form-urlencoded; charset=${charset}`,
          'user-agent': 'Mozilla/4.0',
        },
        body: encodeForm({ ...sent, sign_type: 'RSA2', sign }, charset),
      }
    },
    answer: (request, desk) => answerGateway({ account, alipayKey, appKey }, request, desk),
    throttle: (request) => throttleGateway({ account, alipayKey, appKey }, request),
  }
}

/** `notify_time` is left to the send: whether it changes in a repeat is not certain, so the harder case is played. */
function describePaid(account: AlipayAccount, payment: Payment, eventId: string, charset: Charset): Parameters {
  const amount = formatYuan(payment.paidAmount ?? payment.amount)
  const paidAt = formatBeijing(payment.paidAt ?? payment.createdAt)
  return {
    gmt_create: formatBeijing(payment.createdAt),
    charset,
    gmt_payment: paidAt,
    subject: `订单 ${payment.outTradeNo}`,
    buyer_id: BUYER,
    invoice_amount: amount,
    version: '1.0',
    notify_id: eventId,
    fund_bill_list: JSON.stringify([{ amount, fundChannel: 'ALIPAYACCOUNT' }]),
    notify_type: 'trade_status_sync',
    out_trade_no: payment.outTradeNo,
    total_amount: amount,
    trade_status: 'TRADE_SUCCESS',
    trade_no: payment.channelTxnId ?? '',
    auth_app_id: account.appId,
    receipt_amount: amount,
    point_amount: '0.00',
    buyer_pay_amount: amount,
    app_id: account.appId,
    seller_id: account.sellerId,
  }
}
