import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import { type Money, parseCurrency } from '../../core/money.ts'
import { at, type Field, isAbsent, readId, readInteger, readText, readTime, UnreadableFieldError } from '../field.ts'
import type { Fact } from '../notice.ts'

/** A transaction in `trade_state` SUCCESS, alike in a notice and in a query's answer. @throws UnreadableFieldError */
export function readPayment(content: Field) {
  return {
    kind: 'payment',
    ...readNumbers(content),
    // `total` is the order's price; `payer_total` lacks what a coupon of the channel paid.
    money: readMoney(at(content, 'amount', 'total'), at(content, 'amount', 'currency')),
    paidAt: readTime(at(content, 'success_time')),
  } as const satisfies Fact
}

/** WeChat's and our number. @throws UnreadableFieldError */
export function readNumbers(content: Field) {
  return {
    channelTxnId: readId(at(content, 'transaction_id'), parseChannelTxnId),
    outTradeNo: readId(at(content, 'out_trade_no'), parseOutTradeNo),
  }
}

/** Refund notices have no currency, and domestic payments know only one. @throws UnreadableFieldError */
export function readMoney(amount: Field, currency: Field): Money {
  const code = parseCurrency(isAbsent(currency) ? 'CNY' : readText(currency))
  if (code !== 'CNY') throw new UnreadableFieldError(currency.path, 'is not CNY')
  return { amount: readInteger(amount), currency: code }
}
