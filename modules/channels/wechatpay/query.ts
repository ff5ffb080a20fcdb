import { parseChannelTxnId } from '../../core/ids.ts'
import type { WechatpayAccount } from '../account.ts'
import {
  closableAnswer,
  endedAnswer,
  foreignAnswer,
  movingAnswer,
  noAnswer,
  paidAnswer,
  readAnswer,
  refundedAnswer,
  unknownState,
  waitOutExpiry,
} from '../answers.ts'
import type { PayAttemptRef, QueryAnswer, QueryPayment } from '../client.ts'
import { at, type Field, idIfOurs, rootOf, wordOf } from '../field.ts'
import { type JsonObject, parseJsonObject } from '../json.ts'
import { isSameCode, outcomeOfRefusal } from '../refusal.ts'
import { callWechatpay } from './call.ts'
import type { WechatpayKeys } from './keys.ts'
import { readPayment } from './read-payment.ts'
import { WECHATPAY_CODES, WECHATPAY_NOT_FOUND, WECHATPAY_PAYING, WECHATPAY_STATES } from './states.ts'

/** Asks by our own number, which works also when every other number was lost. Source: docs/channels/wechatpay.md, Query */
export const queryWechatpay: QueryPayment<WechatpayAccount, WechatpayKeys> = async (ref, account, keys, deps) => {
  const number = encodeURIComponent(ref.outTradeNo)
  const path = `/v3/pay/transactions/out-trade-no/${number}?mchid=${encodeURIComponent(account.mchId)}`
  const result = await callWechatpay({ method: 'GET', path }, { account, keys }, deps)
  if (result.kind === 'none') return noAnswer(result.outcome)
  if (result.kind === 'refused') {
    const { answer, refusal } = result
    return answer.status === 404 && isSameCode(refusal.code, WECHATPAY_NOT_FOUND)
      ? waitOutExpiry(ref, deps.nowMs(), WECHATPAY_NOT_FOUND)
      : noAnswer(outcomeOfRefusal(answer, refusal, WECHATPAY_CODES, { call: 'ask', nowMs: deps.nowMs() }))
  }
  const content = parseJsonObject(result.answer.body)
  return content === undefined
    ? noAnswer({ kind: 'unknown', code: 'ANSWER_UNREADABLE', httpStatus: result.answer.status })
    : readAnswer(() => readTransaction(content, ref, account))
}

/** Reversed in the shop: the try is over, and a payment that was made has lost all of its money. */
function undoneAnswer(account: WechatpayAccount, ref: PayAttemptRef, transaction: Field, word: string): QueryAnswer {
  const ended = endedAnswer(account.id, ref, 'closed', word)
  const channelTxnId = idIfOurs(at(transaction, 'transaction_id'), parseChannelTxnId)
  if (channelTxnId === undefined || ended.event === undefined) return ended
  return { ...ended, event: { ...ended.event, channelTxnId, undo: { form: 'all', state: 'done' }, code: word } }
}

function readTransaction(content: JsonObject, ref: PayAttemptRef, account: WechatpayAccount): QueryAnswer {
  if (isSameCode(wordOf(at(rootOf(content), 'code')), WECHATPAY_PAYING)) return movingAnswer(WECHATPAY_PAYING)
  if (content['out_trade_no'] !== ref.outTradeNo) return foreignAnswer('out_trade_no')
  if (content['mchid'] !== account.mchId) return foreignAnswer('mchid')
  if (content['appid'] !== account.appId) return foreignAnswer('appid')
  const transaction = rootOf(content)
  const word = wordOf(at(transaction, 'trade_state'))
  const state = WECHATPAY_STATES.get(word ?? '')
  switch (state) {
    case 'paid':
      return paidAnswer(account.id, ref, readPayment(transaction))
    case 'refunded':
      return refundedAnswer()
    case 'closable':
      return closableAnswer(word ?? '')
    case 'moving':
      return movingAnswer(word ?? '')
    case 'undone':
      return undoneAnswer(account, ref, transaction, word ?? '')
    case 'closed':
    case 'failed':
      return endedAnswer(account.id, ref, state, word ?? '')
    case undefined:
      return unknownState(word)
    default:
      return state satisfies never
  }
}
