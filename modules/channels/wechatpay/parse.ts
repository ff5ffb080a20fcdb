import { parseChannelTxnId, parseOutTradeNo, parseRefundNo } from '../../core/ids.ts'
import type { WechatpayAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, readId, rootOf, wordOf } from '../field.ts'
import { type Fact, readNotice } from '../notice.ts'
import type { WechatpayKeys } from './keys.ts'
import { openNotice } from './open-notice.ts'
import { readMoney, readNumbers, readPayment } from './read-payment.ts'

/** Decrypts and reads a verified notice. Source: docs/channels/wechatpay.md, Callback and Event types */
export const parseWechatpay: CallbackParser<WechatpayAccount, WechatpayKeys> = ({ channel, body }, _account, keys) => {
  const notice = openNotice(body, keys.apiV3Keys)
  const eventId = eventIdOf(notice.envelope['id'], body)
  if (!notice.ok) {
    // Verified once, so the APIv3 key was replaced since: the previous one belongs back into the secret.
    return { ok: false, eventId, field: 'resource', problem: `cannot be opened (${notice.reason})` }
  }
  const type = wordOf(at(rootOf(notice.envelope), 'event_type'))
  return readNotice(channel, eventId, () => readContent(type, rootOf(notice.content)))
}

function readContent(type: string | undefined, content: Field): Fact {
  switch (type) {
    case 'TRANSACTION.SUCCESS':
      return readTransaction(content)
    case 'REFUND.SUCCESS':
      return wordOf(at(content, 'refund_status')) === 'SUCCESS' ? readRefund(content) : hintOf(content)
    // REFUND.ABNORMAL and REFUND.CLOSED moved no money; the refund's own query decides what to do.
    default:
      return hintOf(content)
  }
}

function readTransaction(content: Field): Fact {
  switch (wordOf(at(content, 'trade_state'))) {
    case 'SUCCESS':
      return readPayment(content)
    case 'CLOSED':
    case 'REVOKED':
      return { kind: 'closed', outTradeNo: readId(at(content, 'out_trade_no'), parseOutTradeNo) }
    case 'PAYERROR':
      return { kind: 'failed', outTradeNo: readId(at(content, 'out_trade_no'), parseOutTradeNo) }
    // NOTPAY and USERPAYING are not yet; REFUND was paid and is being given back, so it must not start a delivery: the
    // query tells; an unknown state is not yet.
    default:
      return hintOf(content)
  }
}

function readRefund(content: Field): Fact {
  return {
    kind: 'refund',
    ...readNumbers(content),
    refundNo: idIfOurs(at(content, 'out_refund_no'), parseRefundNo),
    channelRefundId: readId(at(content, 'refund_id'), parseKeyPart),
    money: readMoney(at(content, 'amount', 'refund'), at(content, 'amount', 'currency')),
    cumulative: false,
  }
}

function hintOf(content: Field): Fact {
  return {
    kind: 'other',
    channelTxnId: idIfOurs(at(content, 'transaction_id'), parseChannelTxnId),
    outTradeNo: idIfOurs(at(content, 'out_trade_no'), parseOutTradeNo),
    refundNo: idIfOurs(at(content, 'out_refund_no'), parseRefundNo),
    channelRefundId: idIfOurs(at(content, 'refund_id'), parseKeyPart),
  }
}
