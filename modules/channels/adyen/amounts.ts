import { exponentOf } from '../../core/currencies.ts'
import { type Money, parseCurrency, parseMinorUnits } from '../../core/money.ts'

/** Where Adyen's decimals are not ISO's; BIF and MGA are not certain and so refused. Source: docs/channels/README.md, Amounts */
const EXCEPTIONS: ReadonlyMap<string, number | undefined> = new Map([
  ['CLP', 2],
  ['ISK', 2],
  ['IDR', 0],
  ['CVE', 0],
  ['BIF', undefined],
  ['MGA', undefined],
])

/**
 * Adyen's integer amount as ISO minor units: ISK 880000 is 8800 krónur.
 * @returns `undefined` for a currency that is not certain or known, and for a part of a smallest unit
 */
export function moneyFromAdyen(amount: number, currency: string): Money | undefined {
  const code = parseCurrency(currency)
  const isoExponent = exponentOf(currency)
  const exponent = EXCEPTIONS.has(currency) ? EXCEPTIONS.get(currency) : isoExponent
  if (code === undefined || isoExponent === undefined || exponent === undefined) return undefined
  const shift = isoExponent - exponent
  const minor = parseMinorUnits(shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift)
  return minor === undefined ? undefined : { amount: minor, currency: code }
}
