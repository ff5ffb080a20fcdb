import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import type { AlipayAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { type Field, idIfOurs, isAbsent, orAbsent, readId, wordOf } from '../field.ts'
import { type Fact, type FactReading, readFacts, toEvent } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { decodeForm, parseForm } from './form.ts'
import type { AlipayKeys } from './keys.ts'
import { readBeijingTime, readPaidTrade, readYuan } from './read-payment.ts'
import { cutOf, identityOf } from './signed-string.ts'
import { ALIPAY_NOTICES } from './states.ts'

type Notice = (name: string) => Field

/**
 * Reads a verified notice. One of a trade may tell two facts: that it was paid, and how much of it has gone back so far. One whose
 * cut is doubtful tells no fact, but that the channel should be asked.
 * Source: docs/channels/alipay.md, Callback and Event types
 */
export const parseAlipay: CallbackParser<AlipayAccount, AlipayKeys> = ({ channel, body }) => {
  const form = parseForm(body)
  if (form === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a form of parameters' }
  }
  const signedId = `sha256-${identityOf(form)}`
  const values = decodeForm(form)
  if (values === undefined) {
    return {
      ok: false,
      eventId: signedId,
      field: 'charset',
      problem: 'is none that Alipay is known for',
      isMoney: true,
    }
  }
  const notice: Notice = (path) => ({ path, value: values.get(path) })
  if (cutOf(form) === 'doubtful') {
    const events = hintsOf(notice).map((hint) => toEvent(channel, `${hint.kind}-${signedId}`, hint))
    return { ok: true, events: events.map((event) => ({ ...event, trust: 'hint' })) }
  }
  return readFacts(channel, readingsOf(notice, body))
}

function readingsOf(notice: Notice, body: Buffer): readonly FactReading[] {
  const status = wordOf(notice('trade_status'))
  const meaning = ALIPAY_NOTICES.get(status ?? '')
  const wentBack = hasRefund(notice)
  switch (meaning) {
    case 'paid':
      return [paymentOf(notice, body), ...(wentBack ? [refundOf(notice, body)] : [])]
    case 'closed':
      // Closed after it was paid: all of it went back, even where the notice does not say how much.
      return wentBack || !isAbsent(notice('gmt_payment'))
        ? [paymentOf(notice, body), refundOf(notice, body)]
        : [reading(notice, body, () => ({ kind: 'closed', ...readNumbers(notice) }))]
    case 'waiting':
      return [reading(notice, body, () => ({ kind: 'other', ...numbersOf(notice) }))]
    case undefined:
      return [reading(notice, body, () => ({ kind: 'unknown', ...numbersOf(notice), code: unknownCode(notice) }))]
    default:
      return meaning satisfies never
  }
}

function unknownCode(notice: Notice): string {
  return channelCodeOf(wordOf(notice('trade_status')) ?? wordOf(notice('notify_type')))
}

/**
 * A fact's identity is what it says, not `notify_id` or `notify_time`: whether those stay the same in a repeat is not certain, and
 * the same fact sent twice is one event.
 * Source: docs/channels/alipay.md, Callback
 */
function reading(notice: Notice, body: Buffer, read: () => Fact, ...about: readonly string[]): FactReading {
  const tradeNo = wordOf(notice('trade_no'))
  const parts = about.length > 0 ? about : [wordOf(notice('trade_status')) ?? wordOf(notice('notify_type')) ?? '']
  const own = tradeNo === undefined ? wordOf(notice('notify_id')) : [tradeNo, ...parts].join('/')
  return { eventId: eventIdOf(own, body), read, known: { ...numbersOf(notice), isMoney: true } }
}

function paymentOf(notice: Notice, body: Buffer): FactReading {
  const fields = { tradeNo: notice('trade_no'), total: notice('total_amount'), paidAt: notice('gmt_payment') }
  return reading(notice, body, () => {
    const payment = { ...numbersOf(notice), ...readPaidTrade(fields) }
    // A trial or a card that was stored: no money is no payment.
    return payment.money.amount === 0 ? { kind: 'other', ...numbersOf(notice), code: 'AMOUNT_0' } : payment
  })
}

/** The running sum of a payment's refunds, whatever status it came with: told twice it is one event. */
function refundOf(notice: Notice, body: Buffer): FactReading {
  const id = idIfOurs(notice('out_biz_no'), parseKeyPart)
  const sum = wordOf(notice('refund_fee')) ?? 'unknown'
  return reading(notice, body, () => readRefund(notice, id), 'refund', ...(id === undefined ? [] : [id]), sum)
}

function readRefund(notice: Notice, id: string | undefined): Fact {
  const money = orAbsent(() => readYuan(notice('refund_fee')))
  const isTold = money !== undefined && money.amount > 0
  const at = ['gmt_refund', 'gmt_close', 'notify_time'].map((name) => readBeijingTime(notice(name))).find(Boolean)
  return {
    kind: 'refund',
    channelTxnId: readId(notice('trade_no'), parseChannelTxnId),
    outTradeNo: idIfOurs(notice('out_trade_no'), parseOutTradeNo),
    refundNo: idIfOurs(notice('out_biz_no'), refundNoOfWireKey),
    channelRefundId: id,
    ...(isTold && { money, cumulative: true }),
    paidAt: readBeijingTime(notice('gmt_payment')),
    undo: {
      form: isTold ? 'sum' : 'amountUnknown',
      state: 'done',
      ...(id !== undefined && { id }),
      ...(isTold && { money }),
      ...(at !== undefined && { at }),
    },
  }
}

/** Whether money went back: a sum that cannot be read is one, since only 0 is none. */
function hasRefund(notice: Notice): boolean {
  const refundFee = notice('refund_fee')
  return !isAbsent(refundFee) && orAbsent(() => readYuan(refundFee))?.amount !== 0
}

/** What a notice with two readings is about: our number alone, by which the channel is asked, and for a refund its trade. */
function hintsOf(notice: Notice): readonly Fact[] {
  const outTradeNo = idIfOurs(notice('out_trade_no'), parseOutTradeNo)
  const refund: Fact = { kind: 'refund', ...numbersOf(notice) }
  return [{ kind: 'payment', outTradeNo }, ...(hasRefund(notice) ? [refund] : [])]
}

function numbersOf(notice: Notice): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: idIfOurs(notice('trade_no'), parseChannelTxnId),
    outTradeNo: idIfOurs(notice('out_trade_no'), parseOutTradeNo),
  }
}

function readNumbers(notice: Notice): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: readId(notice('trade_no'), parseChannelTxnId),
    outTradeNo: readId(notice('out_trade_no'), parseOutTradeNo),
  }
}
