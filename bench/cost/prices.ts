/** Where a price comes from and how sure it is. */
export interface Price {
  /** USD per one unit. */
  readonly usd: number
  readonly unit: string
  readonly source: string
}

const MILLION = 1_000_000

/**
 * Unit prices, us-east-1, first tier, no free tier, Lambda on arm64. Read on 2026-11-30; none could be checked against the
 * price list of an account. Change a price here and run `npm run bench -- --only cost` again.
 */
export const prices = {
  httpRequest: { usd: 1 / MILLION, unit: 'request', source: 'API Gateway pricing whitepaper, HTTP API' },
  lambdaRequest: { usd: 0.2 / MILLION, unit: 'request', source: 'Lambda pricing, secondary, May 2026' },
  lambdaGbSecond: { usd: 0.0000133334, unit: 'GB-s', source: 'Lambda pricing arm64, secondary, May 2026' },
  sqsRequest: { usd: 0.4 / MILLION, unit: 'request of 64 KB', source: 'SQS pricing, secondary, June 2026' },
  writeUnit: { usd: 0.625 / MILLION, unit: 'WRU', source: 'DynamoDB pricing on demand, secondary, 2026' },
  readUnit: { usd: 0.125 / MILLION, unit: 'RRU', source: 'DynamoDB pricing on demand, secondary, 2026' },
  schedule: { usd: 1 / MILLION, unit: 'invocation', source: 'EventBridge Scheduler pricing, secondary, May 2026' },
  busEvent: { usd: 1 / MILLION, unit: 'event of 64 KB', source: 'EventBridge pricing, custom events; unconfirmed' },
  logGb: { usd: 0.5, unit: 'GB', source: 'CloudWatch Logs ingestion, secondary, June 2026' },
  trace: { usd: 5 / MILLION, unit: 'trace', source: 'X-Ray pricing; unconfirmed' },
} as const satisfies Readonly<Record<string, Price>>

export type PricedUnit = keyof typeof prices

/** How much of each priced unit something takes. */
export type Usage = Readonly<Record<PricedUnit, number>>

export const noUsage: Usage = {
  httpRequest: 0,
  lambdaRequest: 0,
  lambdaGbSecond: 0,
  sqsRequest: 0,
  writeUnit: 0,
  readUnit: 0,
  schedule: 0,
  busEvent: 0,
  logGb: 0,
  trace: 0,
}

const units = Object.keys(noUsage) as readonly PricedUnit[]

export function addUsage(a: Usage, b: Partial<Usage>): Usage {
  return mapUsage((unit) => a[unit] + (b[unit] ?? 0))
}

export function scaleUsage(usage: Usage, factor: number): Usage {
  return mapUsage((unit) => usage[unit] * factor)
}

/** USD for each unit of a usage. */
export function priceUsage(usage: Usage): Usage {
  return mapUsage((unit) => usage[unit] * prices[unit].usd)
}

export function sumUsage(usage: Usage): number {
  return units.reduce((sum, unit) => sum + usage[unit], 0)
}

function mapUsage(of: (unit: PricedUnit) => number): Usage {
  return {
    httpRequest: of('httpRequest'),
    lambdaRequest: of('lambdaRequest'),
    lambdaGbSecond: of('lambdaGbSecond'),
    sqsRequest: of('sqsRequest'),
    writeUnit: of('writeUnit'),
    readUnit: of('readUnit'),
    schedule: of('schedule'),
    busEvent: of('busEvent'),
    logGb: of('logGb'),
    trace: of('trace'),
  }
}
