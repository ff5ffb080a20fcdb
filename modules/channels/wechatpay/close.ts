import type { Outcome } from '../../core/outcome.ts'
import type { WechatpayAccount } from '../account.ts'
import { endedAnswer, noAnswer, nothingToClose } from '../answers.ts'
import type { ClosePayment } from '../client.ts'
import { outcomeOfRefusal } from '../refusal.ts'
import { callWechatpay, type WechatpayResult } from './call.ts'
import type { WechatpayKeys } from './keys.ts'
import { queryWechatpay } from './query.ts'
import { WECHATPAY_CODES, WECHATPAY_NOT_FOUND } from './states.ts'

/**
 * Closes by our own number. Only a signed 204 is "closed"; the code of "paid meanwhile" is not certain, so on any other answer
 * that could hide it, the channel is asked and its state counts.
 * Source: docs/channels/wechatpay.md, Close
 */
export const closeWechatpay: ClosePayment<WechatpayAccount, WechatpayKeys> = async (ref, account, keys, deps) => {
  const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(ref.outTradeNo)}/close`
  const body = JSON.stringify({ mchid: account.mchId })
  const result = await callWechatpay({ method: 'POST', path, body }, { account, keys }, deps)
  if (result.kind === 'none' && result.outcome.kind !== 'unknown') return noAnswer(result.outcome)
  if (result.kind === 'signed' && result.answer.status === 204) return endedAnswer(account.id, ref, 'closed', 'CLOSED')

  const closing = outcomeOfClose(result, deps.nowMs())
  // Asking with the same wrong signature, or into the same rate limit, would tell nothing.
  if (closing.httpStatus === 401 || closing.httpStatus === 429) return noAnswer(closing)
  const asked = await queryWechatpay(ref, account, keys, deps)
  if (asked.outcome.code === WECHATPAY_NOT_FOUND) return nothingToClose(ref, deps.nowMs(), WECHATPAY_NOT_FOUND)
  // Still payable: a refused close is no close, and the caller tries again.
  return asked.state === 'closable' && asked.event === undefined ? noAnswer(closing) : asked
}

function outcomeOfClose(result: WechatpayResult, nowMs: number): Outcome {
  if (result.kind === 'none') return result.outcome
  if (result.kind === 'refused') {
    return outcomeOfRefusal(result.answer, result.refusal, WECHATPAY_CODES, { call: 'act', nowMs: nowMs })
  }
  return { kind: 'unknown', code: `HTTP_${result.answer.status}`, httpStatus: result.answer.status }
}
