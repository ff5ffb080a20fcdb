import { parseChannelTxnId, parseOutTradeNo, parseRefundNo } from '../../core/ids.ts'
import type { AlipayAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { type Field, idIfOurs, isAbsent, readId, readOptionalId, UnreadableFieldError } from '../field.ts'
import { type Fact, readNotice } from '../notice.ts'
import { decodeForm, parseForm } from './form.ts'
import type { AlipayKeys } from './keys.ts'
import { readPaidAt, readPaidTrade, readYuan } from './read-payment.ts'

type Notice = (name: string) => Field

/** Reads a verified trade notice. Source: docs/channels/alipay.md, Callback and Event types */
export const parseAlipay: CallbackParser<AlipayAccount, AlipayKeys> = ({ channel, body }) => {
  const form = parseForm(body)
  const values = form === undefined ? undefined : decodeForm(form)
  if (values === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'charset', problem: 'does not fit the bytes' }
  }
  const notice: Notice = (path) => ({ path, value: values.get(path) })
  return readNotice(channel, eventIdOf(identityOf(values), body), () => readTrade(notice))
}

/**
 * A notice's identity is what it says, not `notify_id` or `notify_time`: whether those stay the same in a repeat is not
 * certain, and the same fact sent twice is one event. Source: docs/channels/alipay.md, Callback
 */
function identityOf(values: ReadonlyMap<string, string>): string | undefined {
  const tradeNo = values.get('trade_no')
  if (tradeNo === undefined) return values.get('notify_id')
  const refund = values.get('out_biz_no') ?? values.get('refund_fee')
  const parts = [tradeNo, values.get('trade_status') ?? values.get('notify_type') ?? '']
  return (refund === undefined ? parts : [...parts, refund]).join('/')
}

function readTrade(notice: Notice): Fact {
  switch (notice('trade_status').value) {
    case 'TRADE_SUCCESS':
    case 'TRADE_FINISHED':
      return hasRefund(notice) ? readRefund(notice) : readPayment(notice)
    case 'TRADE_CLOSED':
      return hasRefund(notice) ? readRefund(notice) : readClose(notice)
    default:
      // WAIT_BUYER_PAY, a status of the future, and notices that are not about a trade.
      return {
        kind: 'other',
        channelTxnId: idIfOurs(notice('trade_no'), parseChannelTxnId),
        outTradeNo: idIfOurs(notice('out_trade_no'), parseOutTradeNo),
      }
  }
}

function hasRefund(notice: Notice): boolean {
  const refundFee = notice('refund_fee')
  return !isAbsent(refundFee) && readYuan(refundFee).amount > 0
}

function readPayment(notice: Notice): Fact {
  const fields = { tradeNo: notice('trade_no'), total: notice('total_amount'), paidAt: notice('gmt_payment') }
  return { ...readNumbers(notice), ...readPaidTrade(fields) }
}

function readRefund(notice: Notice): Fact {
  return {
    kind: 'refund',
    ...readNumbers(notice),
    refundNo: idIfOurs(notice('out_biz_no'), parseRefundNo),
    channelRefundId: readOptionalId(notice('out_biz_no'), parseKeyPart),
    money: readYuan(notice('refund_fee')),
    cumulative: true,
    paidAt: readPaidAt(notice('gmt_payment')),
  }
}

// Closed after a payment means fully refunded, but without refund_fee the notice does not say how much: no guess.
function readClose(notice: Notice): Fact {
  if (!isAbsent(notice('gmt_payment'))) {
    throw new UnreadableFieldError('refund_fee', 'is missing, although the trade was paid and then closed')
  }
  return { kind: 'closed', ...readNumbers(notice) }
}

function readNumbers(notice: Notice): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: readId(notice('trade_no'), parseChannelTxnId),
    outTradeNo: readId(notice('out_trade_no'), parseOutTradeNo),
  }
}
