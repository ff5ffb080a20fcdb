import { closeAlipay } from '../../../modules/channels/alipay/close.ts'
import type { queryAlipay } from '../../../modules/channels/alipay/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import * as answers from '../alipay/signed-answer.ts'
import * as notices from '../alipay/signed-notice.ts'
import { answering } from '../client-setup.ts'
import { type ChannelWords, tellingOfParsed, UNDOCUMENTED, wordOfClose, wordOfQuery } from './word-of.ts'

const REFUND = { refund_fee: '30.00', out_biz_no: 'REFUND-30', gmt_refund: '2026-11-03 11:00:00.123' }
const { trade_status: _, gmt_payment: __, ...UNPAID } = notices.PAYMENT

function noticeOf(code: string, when: string): notices.Parameters {
  const trade_status = code === '*' ? UNDOCUMENTED : code
  if (when === 'no trade notice') return { ...UNPAID, notify_type: 'servicemarket_order_notify' }
  if (when === 'refund_fee above 0') return { ...notices.PAYMENT, ...REFUND, trade_status }
  if (when === 'gmt_payment without refund_fee') return { ...notices.PAYMENT, trade_status }
  return code === 'TRADE_CLOSED' ? { ...UNPAID, trade_status } : { ...notices.PAYMENT, trade_status }
}

/** `code 40004` in the condition is the gateway's code; without it the row's own code is. */
function answerTo(method: 'query' | 'close', code: string, when: string): HttpResult {
  if (code === '10000') return answers.signedAnswer(method, answers.TRADE)
  const gateway = /code (\d{5})/.exec(when)?.[1]
  if (gateway === undefined) return answers.refusal(method, code === '*' ? '49999' : code)
  return answers.refusal(method, gateway, code === '*' ? `ACQ.${UNDOCUMENTED}` : code)
}

export const alipayWords: ChannelWords = {
  sample: async (text) => {
    const parameters: notices.Parameters = JSON.parse(text)
    const isOurs = notices.verify(notices.encode(notices.signForm(parameters))).ok
    return isOurs ? tellingOfParsed(notices.parse(parameters)) : 'refused'
  },
  event: async (code, when) => tellingOfParsed(notices.parse(noticeOf(code, when))),
  state: (code, when) => {
    const paidAt = code === 'TRADE_CLOSED' && when === '' ? undefined : answers.TRADE.send_pay_date
    const answer = answers.trade({ trade_status: code === '*' ? UNDOCUMENTED : code, send_pay_date: paidAt })
    return wordOfQuery((ref) => answers.query(ref, answer), 'waiting')
  },
  query: async (code, when) => {
    const ask = (ref: Parameters<typeof queryAlipay>[0]) => answers.query(ref, answerTo('query', code, when))
    const word = await wordOfQuery(ask, 'not-found')
    return word === 'paid' ? 'answered' : word
  },
  close: (code, when) =>
    wordOfClose(async (ref) => {
      const waiting = answers.trade({ trade_status: 'WAIT_BUYER_PAY', send_pay_date: undefined })
      const channel = answering(answerTo('close', code, when), waiting)
      return { answer: await closeAlipay(ref, answers.ACCOUNT, answers.KEYS, channel), channel }
    }),
}
