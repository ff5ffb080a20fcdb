import { exponentOf } from '../../../../modules/core/currencies.ts'

/** Adyen's decimals where they are not ISO's. Source: docs/channels/README.md, Amounts */
const DECIMALS: Readonly<Record<string, number>> = { CLP: 2, ISK: 2, IDR: 0, CVE: 0 }

/** ISO minor units in Adyen's. */
export function toAdyenAmount(amount: number, currency: string): number {
  return Math.round(amount * 10 ** shiftOf(currency))
}

/** Adyen's minor units in ISO's. */
export function fromAdyenAmount(value: number, currency: string): number {
  return Math.round(value / 10 ** shiftOf(currency))
}

function shiftOf(currency: string): number {
  const iso = exponentOf(currency) ?? 2
  return (DECIMALS[currency] ?? iso) - iso
}
