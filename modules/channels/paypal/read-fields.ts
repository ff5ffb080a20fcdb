import { exponentOf } from '../../core/currencies.ts'
import { type OutTradeNo, parseOutTradeNo } from '../../core/ids.ts'
import { type Money, parseCurrency, parseDecimal } from '../../core/money.ts'
import { at, type Field, idIfOurs, readText, UnreadableFieldError } from '../field.ts'

/** Whole units only, though ISO has two decimals. Source: docs/channels/README.md, Amounts */
const WHOLE_UNITS: ReadonlySet<string> = new Set(['HUF', 'TWD'])
/** What PayPal settles in beside the two decimals: only JPY is certain. */
const OTHER_EXPONENTS: ReadonlySet<string> = new Set(['JPY'])

/** `amount.value` (a decimal text) and `amount.currency_code` as ISO minor units. @throws UnreadableFieldError */
export function readPaypalMoney(amount: Field): Money {
  const currency = at(amount, 'currency_code')
  const value = at(amount, 'value')
  const code = parseCurrency(readText(currency))
  const exponent = code === undefined ? undefined : exponentOf(code)
  if (code === undefined || exponent === undefined || (exponent !== 2 && !OTHER_EXPONENTS.has(code))) {
    throw new UnreadableFieldError(currency.path, 'is not a currency of the PayPal table')
  }
  const minor = parseDecimal(readText(value), exponent)
  if (minor === undefined || (WHOLE_UNITS.has(code) && minor % 100 !== 0)) {
    throw new UnreadableFieldError(value.path, 'is not a decimal text of its currency')
  }
  return { amount: minor, currency: code }
}

/** Our number: `custom_id`, else `invoice_id`; `undefined` when neither can be one. */
export function readOwnNumber(resource: Field): OutTradeNo | undefined {
  return idIfOurs(at(resource, 'custom_id'), parseOutTradeNo) ?? idIfOurs(at(resource, 'invoice_id'), parseOutTradeNo)
}
