import { closeWechatpay } from '../../../modules/channels/wechatpay/close.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { answering } from '../client-setup.ts'
import * as answers from '../wechatpay/signed-answer.ts'
import * as notices from '../wechatpay/signed-notice.ts'
import { type ChannelWords, statusIn, tellingOfParsed, UNDOCUMENTED, wordOfClose, wordOfQuery } from './word-of.ts'

const { mchid: _, appid: __, ...NUMBERS } = notices.TRANSACTION

type Content = Readonly<Record<string, unknown>>

function contentOf(code: string, when: string): Content {
  if (when === 'of a service provider') {
    return { ...NUMBERS, sp_mchid: notices.ACCOUNT.mchId, sp_appid: notices.ACCOUNT.appId, sub_mchid: '1900000002' }
  }
  if (when === 'of a combined order') {
    const sub_orders = [{ ...NUMBERS, mchid: notices.ACCOUNT.mchId }]
    return { combine_mchid: notices.ACCOUNT.mchId, combine_out_trade_no: 'COMBINED_0001', sub_orders }
  }
  if (code.startsWith('TRANSACTION.')) return { ...notices.TRANSACTION, trade_state: stateIn(code, when) }
  if (code.startsWith('REFUND.')) return { ...notices.REFUND, refund_status: code.slice('REFUND.'.length) }
  // Other products name their merchant elsewhere or nowhere: the key that opens them is ours alone.
  return { id: 'of another product' }
}

function stateIn(code: string, when: string): string {
  return /trade_state (\w+)/.exec(when)?.[1] ?? (code === 'TRANSACTION.FAIL' ? 'PAY_FAIL' : 'SUCCESS')
}

/** An error of the API; a 2xx is signed, as WeChat Pay signs every one. */
function answerTo(code: string, when: string): HttpResult {
  const status = statusIn(when)
  const name = code === '*' ? UNDOCUMENTED : code
  return status < 300
    ? answers.signedAnswer(status, JSON.stringify({ code: name, message: '' }))
    : answers.refusal(status, name)
}

function wordOfNotice(type: string, content: Content): string {
  const isOurs = notices.verify(notices.sign(notices.aNotice(type, content))).ok
  return isOurs ? tellingOfParsed(notices.parse(type, content)) : 'refused'
}

const NOT_PAID = answers.signedAnswer(200, answers.transaction({ trade_state: 'NOTPAY' }))

export const wechatpayWords: ChannelWords = {
  sample: async (text) => {
    const notice: { event_type: string; resource: { opened: Content } } = JSON.parse(text)
    return wordOfNotice(notice.event_type, notice.resource.opened)
  },
  event: async (code, when) => wordOfNotice(code === '*' ? 'WHO.KNOWS' : code, contentOf(code, when)),
  state: (code) => {
    const answer = answers.signedAnswer(200, answers.transaction({ trade_state: code === '*' ? UNDOCUMENTED : code }))
    return wordOfQuery((ref) => answers.query(ref, answer), 'waiting')
  },
  query: async (code, when) => {
    const answer = code === 'SUCCESS' ? answers.signedAnswer(200, answers.transaction()) : answerTo(code, when)
    const word = await wordOfQuery((ref) => answers.query(ref, answer), 'not-found')
    return word === 'paid' ? 'answered' : word
  },
  close: (code, when) =>
    wordOfClose(async (ref) => {
      const closed = code === 'SUCCESS' ? answers.signedAnswer(204, '') : answerTo(code, when)
      const isUnknown = statusIn(when) === 404
      const channel = answering(closed, isUnknown ? answerTo(code, when) : NOT_PAID)
      return { answer: await closeWechatpay(ref, notices.ACCOUNT, answers.KEYS, channel), channel }
    }),
}
