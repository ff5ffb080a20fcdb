import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import { type Money, parseCurrency } from '../../core/money.ts'
import {
  at,
  type Field,
  idIfOurs,
  isAbsent,
  orAbsent,
  readId,
  readInteger,
  readText,
  readTime,
  UnreadableFieldError,
} from '../field.ts'
import type { Fact } from '../notice.ts'

/**
 * A transaction in `trade_state` SUCCESS, alike in a notice and in a query's answer. A number of another program is left out, and a
 * time that cannot be read costs the time.
 * @throws UnreadableFieldError
 */
export function readPayment(content: Field) {
  return {
    kind: 'payment',
    channelTxnId: readId(at(content, 'transaction_id'), parseChannelTxnId),
    outTradeNo: idIfOurs(at(content, 'out_trade_no'), parseOutTradeNo),
    // `total` is the order's price; `payer_total` lacks what a coupon of the channel paid.
    money: readMoney(at(content, 'amount', 'total'), at(content, 'amount', 'currency')),
    paidAt: orAbsent(() => readTime(at(content, 'success_time'))),
  } as const satisfies Fact
}

/** Refund notices have no currency, and domestic payments know only one. @throws UnreadableFieldError */
export function readMoney(amount: Field, currency: Field): Money {
  const code = parseCurrency(isAbsent(currency) ? 'CNY' : readText(currency))
  if (code !== 'CNY') throw new UnreadableFieldError(currency.path, 'is not CNY')
  return { amount: readInteger(amount), currency: code }
}
