import { expect, it } from 'vitest'
import { exponentOf } from '../../modules/core/currencies.ts'

it.each([
  ['CNY', 2],
  ['JPY', 0],
  ['CLP', 0],
  ['ISK', 0],
  ['UGX', 0],
  ['MGA', 2],
  ['IDR', 2],
  ['HUF', 2],
  ['KWD', 3],
  ['TND', 3],
])('%s has %i decimals', (code, exponent) => {
  expect(exponentOf(code)).toBe(exponent)
})

// The runtime's own table follows CLDR, which shows fewer digits than ISO 4217 has for some; it knows every code.
it('every currency of the table is one that the runtime knows, and no exponent is below the runtime’s', () => {
  const known = Intl.supportedValuesOf('currency').filter((code) => exponentOf(code) !== undefined)

  expect(known.length).toBeGreaterThan(100)
  for (const code of known) {
    const digits = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    expect([code, exponentOf(code)]).toEqual([
      code,
      expect.toSatisfy((n: number) => n >= (digits.maximumFractionDigits ?? 0)),
    ])
  }
})
