import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exponentOf } from '../../modules/core/currencies.ts'
import {
  feeOf,
  formatDecimal,
  type MinorUnits,
  parseCurrency,
  parseDecimal,
  parseMinorUnits,
  sameMoney,
  splitAmount,
  sumAmounts,
} from '../../modules/core/money.ts'

const minor = (value: number): MinorUnits => parseMinorUnits(value) ?? expect.unreachable()
const currency = (code: string) => parseCurrency(code) ?? expect.unreachable()
const amounts = fc.maxSafeNat().map(minor)

describe('amounts as text', () => {
  it.each([
    ['CNY', 8800, '88.00'],
    ['JPY', 8800, '8800'],
    ['KRW', 1, '1'],
    ['USD', 5, '0.05'],
    ['KWD', 5120, '5.120'],
    ['BHD', 0, '0.000'],
  ])('%s %i is shown as %s and read back', (code, amount, text) => {
    const money = { amount: minor(amount), currency: currency(code) }

    expect(formatDecimal(money)).toBe(text)
    expect(parseDecimal(text, exponentOf(code) ?? -1)).toBe(amount)
  })

  it.each(['XYZ', '', 'cny', 'CNY ', 'constructor', '__proto__', 156, null])('the currency %j is refused', (code) => {
    expect(parseCurrency(code)).toBeUndefined()
  })

  it.each([
    ['110.7', 11070],
    ['116.62', 11662],
    ['0.1', 10],
    ['7', 700],
    ['0', 0],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ])('%s is %i hundredths', (text, amount) => {
    expect(parseDecimal(text, 2)).toBe(amount)
  })

  it.each([
    '1E-2',
    '5e+3',
    '',
    '.',
    '7.',
    '.7',
    '-1',
    '+1',
    '00',
    '01',
    '1,000',
    ' 1',
    '1 ',
    '１',
    '0x1',
    '1.000',
    'NaN',
    '1\n',
  ])('%j is refused', (text) => {
    expect(parseDecimal(text, 2)).toBeUndefined()
  })

  it.each(['90071992547409.92', '9999999999999999', '10000000000000000'])(
    '%s is beyond what is exact, and refused',
    (text) => {
      expect(parseDecimal(text, 2)).toBeUndefined()
    },
  )

  it('every amount of every currency survives the round trip', () => {
    fc.assert(
      fc.property(amounts, fc.constantFrom('JPY', 'CNY', 'KWD'), (amount, code) => {
        const text = formatDecimal({ amount, currency: currency(code) })
        expect(parseDecimal(text, exponentOf(code) ?? -1)).toBe(amount)
      }),
    )
  })

  it('only a whole number of at least 0 is a count of minor units', () => {
    for (const value of [-1, -0, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, 1n]) {
      expect(parseMinorUnits(value)).toBeUndefined()
    }
    expect(parseMinorUnits(0)).toBe(0)
  })

  it('money is equal in amount and currency', () => {
    const cny = { amount: minor(100), currency: currency('CNY') }

    expect(sameMoney(cny, { ...cny })).toBe(true)
    expect(sameMoney(cny, { ...cny, amount: minor(101) })).toBe(false)
    expect(sameMoney(cny, { ...cny, currency: currency('USD') })).toBe(false)
  })
})

describe('dividing money', () => {
  it('10000 over three lines leaves the rest to the last', () => {
    expect(splitAmount(minor(10_000), [1, 1, 1])).toEqual([3333, 3333, 3334])
  })

  it('0.60 % of 19166 is rounded once, half up', () => {
    expect(feeOf(minor(19_166), 60)).toBe(115)
    expect(feeOf(minor(75), 66)).toBe(0)
    expect(feeOf(minor(250), 60)).toBe(2)
    expect(feeOf(minor(249), 60)).toBe(1)
  })

  it('the parts of any split add up exactly, and none is negative', () => {
    fc.assert(
      fc.property(amounts, fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 20 }), (amount, weights) => {
        fc.pre(weights.some((weight) => weight > 0))
        const parts = splitAmount(amount, weights)
        expect(parts).toHaveLength(weights.length)
        expect(sumAmounts(parts)).toBe(amount)
      }),
    )
  })

  it.each([[[]], [[0]], [[1, -1, 1]], [[0.5, 1]], [[Number.NaN]]])('weights %j are a bug in the caller', (weights) => {
    expect(() => splitAmount(minor(100), weights)).toThrow(RangeError)
  })

  it('a sum beyond what is exact is an error and never rounded', () => {
    expect(sumAmounts([])).toBe(0)
    expect(() => sumAmounts([minor(Number.MAX_SAFE_INTEGER), minor(1)])).toThrow(RangeError)
  })

  it.each([-1, 0.5, Number.NaN])('a rate of %d basis points is a bug in the caller', (rate) => {
    expect(() => feeOf(minor(100), rate)).toThrow(RangeError)
  })
})
