import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import type { WechatpayAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf } from '../event-id.ts'
import { at, type Field, idIfOurs, orAbsent, readTime, rootOf, wordOf } from '../field.ts'
import { type Fact, readFacts } from '../notice.ts'
import { WECHATPAY_RECORDED, WECHATPAY_TRANSACTIONS } from './events.ts'
import type { WechatpayKeys } from './keys.ts'
import { openNotice } from './open-notice.ts'
import { readPayment } from './read-payment.ts'
import { readRefund, refundNumbersOf } from './read-refund.ts'

/** Decrypts and reads a verified notice. Source: docs/channels/wechatpay.md, Callback and Event types */
export const parseWechatpay: CallbackParser<WechatpayAccount, WechatpayKeys> = ({ channel, body }, _account, keys) => {
  const notice = openNotice(body, keys.apiV3Keys)
  const eventId = eventIdOf(notice.envelope['id'], body)
  const type = wordOf(at(rootOf(notice.envelope), 'event_type'))
  if (!notice.ok) {
    // Verified once, so the APIv3 key was replaced since: the previous one belongs back into the secret.
    const problem = `cannot be opened (${notice.reason})`
    const isKeyFault = notice.reason === 'undecryptable'
    return { ok: false, eventId, field: 'resource', problem, isMoney: true, isKeyFault }
  }
  const content = rootOf(notice.content)
  const toldAt = at(rootOf(notice.envelope), 'create_time')
  const known = { ...numbersOf(content), isMoney: type === 'TRANSACTION.SUCCESS' }
  return readFacts(channel, [{ eventId, known, read: () => readContent(type, content, toldAt) }])
}

function readContent(type: string | undefined, content: Field, toldAt: Field): Fact {
  switch (type) {
    case 'TRANSACTION.SUCCESS':
      return readTransaction(content, toldAt)
    case 'REFUND.SUCCESS':
    case 'REFUND.ABNORMAL':
    case 'REFUND.CLOSED':
      return readRefund(content, toldAt)
    default: {
      const details = { ...numbersOf(content), ...refundNumbersOf(content), code: channelCodeOf(type) }
      return { kind: type !== undefined && WECHATPAY_RECORDED.has(type) ? 'other' : 'unknown', ...details }
    }
  }
}

function readTransaction(content: Field, toldAt: Field): Fact {
  const state = wordOf(at(content, 'trade_state'))
  const meaning = WECHATPAY_TRANSACTIONS.get(state ?? '')
  const numbers = numbersOf(content)
  const ended = numbers.outTradeNo !== undefined
  const told = orAbsent(() => readTime(toldAt))
  const undone = { state: 'done', ...(told !== undefined && { at: told }) } as const
  switch (meaning) {
    case 'payment':
      return paymentOrNothing(content)
    // What has no number that could be ours ends no try of ours.
    case 'closed':
      return { kind: ended ? 'closed' : 'other', outTradeNo: numbers.outTradeNo }
    case 'failed':
      return { kind: ended ? 'failed' : 'other', outTradeNo: numbers.outTradeNo }
    case 'revoked':
      return numbers.channelTxnId === undefined
        ? { kind: ended ? 'closed' : 'other', outTradeNo: numbers.outTradeNo }
        : { kind: 'closed', ...numbers, undo: { form: 'all', ...undone }, code: 'REVOKED' }
    case 'refunded':
      return { kind: 'refund', ...numbers, undo: { form: 'amountUnknown', ...undone }, code: 'REFUND' }
    case 'waiting':
      return { kind: 'other', ...numbers }
    case undefined:
      return { kind: 'unknown', ...numbers, code: channelCodeOf('TRANSACTION.SUCCESS', state ?? 'STATE_MISSING') }
    default:
      return meaning satisfies never
  }
}

// A trial or a contract that was signed: no money is no payment.
function paymentOrNothing(content: Field): Fact {
  const payment = readPayment(content)
  return payment.money.amount === 0 ? { kind: 'other', ...numbersOf(content), code: 'AMOUNT_0' } : payment
}

function numbersOf(content: Field): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: idIfOurs(at(content, 'transaction_id'), parseChannelTxnId),
    outTradeNo: idIfOurs(at(content, 'out_trade_no'), parseOutTradeNo),
  }
}
