import type { Brand } from './brand.ts'
import { exponentOf } from './currencies.ts'

/** An integer count of a currency's smallest unit, at most 2^53 - 1. */
export type MinorUnits = Brand<number, 'MinorUnits'>
/** An ISO 4217 code that the table of currencies knows. */
export type Currency = Brand<string, 'Currency'>

export interface Money {
  readonly amount: MinorUnits
  readonly currency: Currency
}

/** No money, in whatever currency. */
export const NOTHING = 0 as MinorUnits

/** @returns `undefined` unless `value` is a safe integer of at least 0 (and not -0, which would be kept as another number) */
export function parseMinorUnits(value: unknown): MinorUnits | undefined {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)
  return isCount ? (value as MinorUnits) : undefined
}

/** @returns `undefined` for a code that the table does not know: refused, never guessed */
export function parseCurrency(code: unknown): Currency | undefined {
  return typeof code === 'string' && exponentOf(code) !== undefined ? (code as Currency) : undefined
}

/** An amount that was computed. @throws RangeError below 0 or beyond 2^53 - 1: a bug, never rounded */
export function toMinorUnits(value: number): MinorUnits {
  const amount = parseMinorUnits(value)
  if (amount === undefined) throw new RangeError(`${value} is no amount of minor units.`)
  return amount
}

const DECIMAL = /^(0|[1-9]\d{0,15})(?:\.(\d+))?$/

/**
 * Reads a decimal string of major units digit by digit; no float is ever made.
 * @param exponent decimals of the unit that is wanted (2 for yuan into fen)
 * @returns `undefined` for signs, exponents, separators, blanks, leading zeros, or more decimals than `exponent`
 */
export function parseDecimal(text: string, exponent: number): MinorUnits | undefined {
  const match = DECIMAL.exec(text)
  if (match === null) return undefined
  const whole = match[1] ?? '0'
  const fraction = match[2] ?? ''
  if (fraction.length > exponent) return undefined
  return parseMinorUnits(Number(whole + fraction.padEnd(exponent, '0')))
}

/** The decimal string of major units, the reverse of {@link parseDecimal}: `8800` CNY is `88.00`, `8800` JPY is `8800`. */
export function formatDecimal(money: Money): string {
  const exponent = exponentOf(money.currency) ?? 0
  const digits = String(money.amount).padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** Same amount and same currency. */
export function sameMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency
}

/** Sum of amounts of one currency. @throws RangeError beyond 2^53 - 1: a bug or an attack, never rounded */
export function sumAmounts(amounts: readonly MinorUnits[]): MinorUnits {
  const sum = parseMinorUnits(amounts.reduce((total: number, amount) => total + amount, 0))
  if (sum === undefined) throw new RangeError('A sum of amounts left the range of safe integers.')
  return sum
}

/**
 * Splits an amount over weights so that the parts add up exactly.
 * The remainder goes to the last part, by name and not by chance. Rounds down elsewhere.
 * @throws RangeError when there is no weight above 0, or one that is no whole number of at least 0: a bug in the caller
 */
export function splitAmount(amount: MinorUnits, weights: readonly number[]): readonly MinorUnits[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const isWhole = weights.every((weight) => Number.isSafeInteger(weight) && weight >= 0)
  if (!isWhole || total <= 0) throw new RangeError('An amount is split over whole weights, at least one above 0.')
  const parts = weights
    .slice(0, -1)
    .map((weight) => Number((BigInt(amount) * BigInt(weight)) / BigInt(total)) as MinorUnits)
  return [...parts, (amount - sumAmounts(parts)) as MinorUnits]
}

/**
 * A fee by a rate in hundredths of a percent (60 = 0.60 %), rounded half up to a whole minor unit.
 * @throws RangeError when the rate is not a whole number of basis points of at least 0
 */
export function feeOf(amount: MinorUnits, basisPoints: number): MinorUnits {
  if (!Number.isSafeInteger(basisPoints) || basisPoints < 0) throw new RangeError('A fee rate is whole basis points.')
  return Number((BigInt(amount) * BigInt(basisPoints) * 2n + 10_000n) / 20_000n) as MinorUnits
}
