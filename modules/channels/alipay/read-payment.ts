import { parseChannelTxnId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { type Money, parseCurrency, parseDecimal } from '../../core/money.ts'
import { type Field, readId, readText, UnreadableFieldError, wordOf } from '../field.ts'
import type { Fact } from '../notice.ts'
import { parseBeijingTime } from './beijing-time.ts'

/** A paid trade by its fields, which a notice and a query's answer name differently. @throws UnreadableFieldError */
export function readPaidTrade(fields: { readonly tradeNo: Field; readonly total: Field; readonly paidAt: Field }) {
  return {
    kind: 'payment',
    channelTxnId: readId(fields.tradeNo, parseChannelTxnId),
    money: readYuan(fields.total),
    paidAt: readBeijingTime(fields.paidAt),
  } as const satisfies Fact
}

/** Neither notices nor answers have a currency field: they are in yuan. @throws UnreadableFieldError */
export function readYuan(field: Field): Money {
  const currency = parseCurrency('CNY')
  const amount = parseDecimal(readText(field), 2)
  if (amount === undefined || currency === undefined) {
    throw new UnreadableFieldError(field.path, 'is not an amount of yuan with at most two decimals')
  }
  return { amount, currency }
}

/** The time there, or `undefined`: money is not kept waiting because its time cannot be read. */
export function readBeijingTime(field: Field): Instant | undefined {
  return parseBeijingTime(wordOf(field) ?? '')
}
