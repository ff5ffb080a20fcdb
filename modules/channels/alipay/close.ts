import type { AlipayAccount } from '../account.ts'
import { endedAnswer, foreignAnswer, noAnswer, nothingToClose } from '../answers.ts'
import type { CloseAnswer, ClosePayment } from '../client.ts'
import { isSameCode } from '../refusal.ts'
import { callAlipay } from './call.ts'
import type { AlipayKeys } from './keys.ts'
import { codesOf, outcomeOfCode } from './outcome-of-code.ts'
import { queryAlipay } from './query.ts'
import { ALIPAY_NOT_CLOSABLE, ALIPAY_NOT_FOUND } from './states.ts'

/**
 * Closes a trade that waits for its buyer. Never `alipay.trade.cancel`, which refunds a trade that turns out paid.
 * A refusal by the trade's status asks at once: it may have been paid this second.
 * Source: docs/channels/alipay.md, Close
 */
export const closeAlipay: ClosePayment<AlipayAccount, AlipayKeys> = async (ref, account, keys, deps) => {
  const result = await callAlipay(
    { method: 'alipay.trade.close', content: { out_trade_no: ref.outTradeNo } },
    account,
    keys,
    deps,
  )
  if (result.kind === 'none') return noAnswer(result.outcome)
  const { code, subCode } = codesOf(result)
  if (!result.isSigned) return noAnswer(outcomeOfCode(result))
  if (code === '10000') {
    const isOurs = (result.content['out_trade_no'] ?? ref.outTradeNo) === ref.outTradeNo
    return isOurs ? endedAnswer(account.id, ref, 'closed', 'CLOSED') : foreignAnswer('out_trade_no')
  }
  if (code === '40004' && isSameCode(subCode, ALIPAY_NOT_FOUND))
    return nothingToClose(ref, deps.nowMs(), ALIPAY_NOT_FOUND)
  if (code === '40004' && ALIPAY_NOT_CLOSABLE.has(subCode))
    return afterRefusal(await queryAlipay(ref, account, keys, deps))
  return noAnswer(outcomeOfCode(result))
}

/** Still payable after a refused close: no close, and the caller tries again. */
function afterRefusal(asked: CloseAnswer): CloseAnswer {
  const isPayable = asked.state === 'closable' && asked.outcome.code !== ALIPAY_NOT_FOUND
  return isPayable ? noAnswer({ kind: 'unknown', code: 'CLOSE_REFUSED' }) : asked
}
