/** ISO 4217 decimals of the currencies that some channel books in; a code that is not here is refused. */
const EXPONENTS: Readonly<Record<string, number>> = {
  ...list(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  ...list(
    2,
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD YER ZAR ZMW',
  ),
  ...list(3, 'BHD IQD JOD KWD LYD OMR TND'),
}

function list(exponent: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, exponent]))
}

/** Decimals of a currency, or `undefined` for a code that the table does not know. Source: ISO 4217; docs/channels/README.md, Amounts */
export function exponentOf(code: string): number | undefined {
  return Object.hasOwn(EXPONENTS, code) ? EXPONENTS[code] : undefined
}
