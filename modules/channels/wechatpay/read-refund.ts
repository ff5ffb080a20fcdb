import type { UndoState } from '../../core/channel-event.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import { channelCodeOf } from '../channel-code.ts'
import { parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, orAbsent, readId, readTime, wordOf } from '../field.ts'
import type { Fact } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { readMoney } from './read-payment.ts'

/**
 * `refund_status` of a notice, `status` of the refund query. Both ABNORMAL and CLOSED gave the buyer nothing; the event's code tells
 * them apart, since in ABNORMAL the money has left us.
 * Source: docs/channels/wechatpay.md, Refunds
 */
export const WECHATPAY_REFUND_STATES: ReadonlyMap<string, UndoState> = new Map([
  ['SUCCESS', 'done'],
  ['PROCESSING', 'pending'],
  ['ABNORMAL', 'failed'],
  ['CLOSED', 'failed'],
])

/**
 * One refund, alike in a notice and in the answer to a question. One without a number or an amount is told as `amountUnknown`.
 * @param toldAt the time of the news, where the refund has none of its own
 * @throws UnreadableFieldError when it names no transaction
 */
export function readRefund(content: Field, toldAt: Field): Fact {
  const word = wordOf(at(content, 'refund_status')) ?? wordOf(at(content, 'status'))
  const state = WECHATPAY_REFUND_STATES.get(word ?? '')
  const numbers = refundNumbersOf(content)
  if (state === undefined) {
    const code = channelCodeOf('REFUND', word ?? 'STATUS_MISSING')
    return { kind: 'unknown', ...transactionOf(content), ...numbers, code }
  }
  const money = orAbsent(() => readMoney(at(content, 'amount', 'refund'), at(content, 'amount', 'currency')))
  const id = numbers.channelRefundId
  const isWhole = money !== undefined && id !== undefined
  const time = orAbsent(() => readTime(at(content, 'success_time'))) ?? orAbsent(() => readTime(toldAt))
  return {
    kind: 'refund',
    ...transactionOf(content),
    channelTxnId: readId(at(content, 'transaction_id'), parseChannelTxnId),
    ...numbers,
    ...(isWhole && { money, cumulative: false }),
    undo: {
      form: isWhole ? 'one' : 'amountUnknown',
      state,
      ...(id !== undefined && { id }),
      ...(isWhole && { money }),
      ...(time !== undefined && { at: time }),
    },
    code: channelCodeOf(`REFUND.${word}`),
  }
}

/** Our number of the refund and WeChat Pay's, where they are there. */
export function refundNumbersOf(content: Field): Pick<Fact, 'refundNo' | 'channelRefundId'> {
  return {
    refundNo: idIfOurs(at(content, 'out_refund_no'), refundNoOfWireKey),
    channelRefundId: idIfOurs(at(content, 'refund_id'), parseKeyPart),
  }
}

function transactionOf(content: Field): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: idIfOurs(at(content, 'transaction_id'), parseChannelTxnId),
    outTradeNo: idIfOurs(at(content, 'out_trade_no'), parseOutTradeNo),
  }
}
