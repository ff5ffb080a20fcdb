import { exponentOf } from '../../core/currencies.ts'
import { type OutTradeNo, parseOutTradeNo } from '../../core/ids.ts'
import { type Money, parseCurrency, parseDecimal } from '../../core/money.ts'
import { at, type Field, idIfOurs, readText, UnreadableFieldError, wordOf } from '../field.ts'

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

/** Our number: `custom_id`, else `invoice_id` (`custom` in a dispute); `undefined` when none can be one. */
export function readOwnNumber(resource: Field): OutTradeNo | undefined {
  return ['custom_id', 'invoice_id', 'custom', 'invoice_number']
    .map((name) => idIfOurs(at(resource, name), parseOutTradeNo))
    .find((number) => number !== undefined)
}

/** The first entry of a list, or a field with nothing in it. */
export function firstOf(parent: Field, name: string): Field {
  const { value, path } = at(parent, name)
  return { path: `${path}.0`, value: Array.isArray(value) ? value[0] : undefined }
}

/** The capture that a refund belongs to: the last part of its `up` link, else the one among its related ids. */
export function captureLinkedFrom(refund: Field): Field {
  const { value, path } = at(refund, 'links')
  const links = Array.isArray(value) ? value.map((link: unknown): Field => ({ path, value: link })) : []
  const up = links.find((link) => wordOf(at(link, 'rel')) === 'up')
  const linked = CAPTURE.exec(wordOf(at(up ?? { path, value: undefined }, 'href')) ?? '')?.[1]
  const related = at(refund, 'supplementary_data', 'related_ids', 'capture_id')
  return linked === undefined && related.value !== undefined ? related : { path: `${path}.up`, value: linked }
}

const CAPTURE = /\/v2\/payments\/captures\/([0-9A-Za-z-]{1,64})$/
