import { exponentOf } from '../../core/currencies.ts'
import { type Money, parseCurrency, parseMinorUnits } from '../../core/money.ts'

/** How Stripe counts a currency: decimals of its unit, and the step that an amount must be a multiple of. */
interface Unit {
  readonly exponent: number
  readonly step: number
}

const ZERO: Unit = { exponent: 0, step: 1 }
const TWO: Unit = { exponent: 2, step: 1 }
/** ISO says no decimals, Stripe counts hundredths that end in 00. */
const HUNDREDS: Unit = { exponent: 2, step: 100 }
const THREE: Unit = { exponent: 3, step: 10 }

/** Where Stripe is not plainly two decimals. IQD and LYD are not offered there. Source: docs/channels/README.md, Amounts */
const EXCEPTIONS: Readonly<Record<string, Unit>> = {
  ...units('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF', ZERO),
  ...units('ISK UGX', HUNDREDS),
  ...units('BHD JOD KWD OMR TND', THREE),
}

function units(codes: string, unit: Unit): Record<string, Unit> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, unit]))
}

function unitOf(code: string): Unit | undefined {
  if (Object.hasOwn(EXCEPTIONS, code)) return EXCEPTIONS[code]
  return exponentOf(code) === 2 ? TWO : undefined
}

/**
 * Stripe's integer amount and lower-case currency as ISO minor units: ISK 880000 is 8800 krónur, MGA 88 is 8800.
 * @returns `undefined` for a currency that Stripe's table does not have, and for an amount off the currency's step
 */
export function moneyFromStripe(amount: number, currency: string): Money | undefined {
  const code = parseCurrency(currency.toUpperCase())
  const unit = code === undefined ? undefined : unitOf(code)
  const isoExponent = code === undefined ? undefined : exponentOf(code)
  if (code === undefined || unit === undefined || isoExponent === undefined || amount % unit.step !== 0)
    return undefined
  const shift = isoExponent - unit.exponent
  const minor = parseMinorUnits(shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift)
  return minor === undefined ? undefined : { amount: minor, currency: code }
}
