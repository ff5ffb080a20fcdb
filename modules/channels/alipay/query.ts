import type { AlipayAccount } from '../account.ts'
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
import { at, isAbsent, rootOf, wordOf } from '../field.ts'
import type { JsonObject } from '../json.ts'
import { isSameCode } from '../refusal.ts'
import { callAlipay } from './call.ts'
import type { AlipayKeys } from './keys.ts'
import { codesOf, outcomeOfCode } from './outcome-of-code.ts'
import { readPaidTrade } from './read-payment.ts'
import { ALIPAY_NOT_FOUND, ALIPAY_STATES } from './states.ts'

/** Asks by our own number, which works also when every other number was lost. Source: docs/channels/alipay.md, Query */
export const queryAlipay: QueryPayment<AlipayAccount, AlipayKeys> = async (ref, account, keys, deps) => {
  const result = await callAlipay(
    { method: 'alipay.trade.query', content: { out_trade_no: ref.outTradeNo } },
    account,
    keys,
    deps,
  )
  if (result.kind === 'none') return noAnswer(result.outcome)
  const { code, subCode } = codesOf(result)
  if (!result.isSigned) return noAnswer(outcomeOfCode(result))
  if (code === '10000') return readAnswer(() => readTrade(result.content, ref, account))
  if (code === '10003') return movingAnswer('ALIPAY_10003') // in the shop: the buyer is entering the password
  if (code === '40004' && isSameCode(subCode, ALIPAY_NOT_FOUND))
    return waitOutExpiry(ref, deps.nowMs(), ALIPAY_NOT_FOUND)
  return noAnswer(outcomeOfCode(result))
}

function readTrade(content: JsonObject, ref: PayAttemptRef, account: AlipayAccount): QueryAnswer {
  if (content['out_trade_no'] !== ref.outTradeNo) return foreignAnswer('out_trade_no')
  const trade = rootOf(content)
  const word = wordOf(at(trade, 'trade_status'))
  const state = ALIPAY_STATES.get(word ?? '')
  switch (state) {
    case 'paid':
      return paidAnswer(
        account.id,
        ref,
        readPaidTrade({
          tradeNo: at(trade, 'trade_no'),
          total: at(trade, 'total_amount'),
          paidAt: at(trade, 'send_pay_date'),
        }),
      )
    case 'closedOrRefunded':
      return isAbsent(at(trade, 'send_pay_date'))
        ? endedAnswer(account.id, ref, 'closed', word ?? '')
        : refundedAnswer()
    case 'closable':
      return closableAnswer(word ?? '')
    case undefined:
      return unknownState(word)
    default:
      return state satisfies never
  }
}
