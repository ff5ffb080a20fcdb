import { round } from '../statistics.ts'
import type { StepUse } from './meter-steps.ts'
import { addUsage, noUsage, type PricedUnit, priceUsage, scaleUsage, sumUsage } from './prices.ts'
import type { Invocation, Subject } from './recording.ts'

export const MILLION = 1_000_000
/** Runs whether or not anybody pays; a fixed cost in docs/cost.md. */
export const NOT_PER_PAYMENT = 'sweep'

/** Steps of a payment that its callback settles. */
const NAMES: Readonly<Record<string, string>> = {
  'PUT /orders/{orderNo}': 'create the order',
  'POST /orders/{orderNo}/pay-attempts': 'start the payment',
  'POST /callbacks/{channel}': 'take the callback',
  settle: 'settle',
  DELIVER: 'deliver',
  NOTIFY: 'tell the merchant',
  QUERY_PAYMENT: 'query timer',
  CLOSE_ORDER: 'close timer',
  publish: 'publish',
}

/** Tasks are named by their type, which the dispatch of their trigger tells. */
export function stepNamer(
  invocations: readonly Invocation[],
  names: Readonly<Record<string, string>> = {},
): (folder: string, subject: Subject) => string {
  const types = new Map(
    invocations.flatMap(({ subjects }) =>
      subjects.flatMap(({ taskNo, bizType }) =>
        taskNo !== undefined && bizType !== undefined ? [[taskNo, bizType]] : [],
      ),
    ),
  )
  return (_folder, { step, taskNo }) => {
    const name = (taskNo !== undefined && types.get(taskNo)) || step
    return names[name] ?? NAMES[name] ?? name
  }
}

export type Steps = readonly (readonly [string, StepUse])[]

export const sum = (steps: Steps) => steps.reduce((total, [, { usage }]) => addUsage(total, usage), noUsage)
export const sumOf = (steps: Steps, name: 'failedCalls') => steps.reduce((total, [, use]) => total + use[name], 0)
export const usdOf = (usage: typeof noUsage, payments: number) =>
  round((sumUsage(priceUsage(usage)) / payments) * MILLION)

export function detailOf({ usage, ...rest }: StepUse, payments: number) {
  return {
    usdPerMillion: usdOf(usage, payments),
    calls: round(rest.calls / payments),
    lambdaRequests: round(rest.invocations / payments),
    recordsPerInvocation: round(rest.subjects / rest.invocations),
    measuredMs: round(rest.measuredMs / rest.invocations),
    cpuMs: round(rest.cpuMs / rest.invocations),
    billedMs: round(rest.billedMs / rest.invocations),
    writeUnits: round(usage.writeUnit / payments),
    readUnits: round(usage.readUnit / payments),
    sqsRequests: round(usage.sqsRequest / payments),
    logBytes: Math.round((usage.logGb * 1024 ** 3) / payments),
  }
}

export function rowsOf(steps: Steps, payments: number): (string | number)[][] {
  const order = Object.values(NAMES)
  const sorted = steps.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const head = [
    'step',
    'AWS calls',
    'Lambda',
    'batch',
    'ms here',
    'CPU ms',
    'billed ms',
    'WRU',
    'RRU',
    'SQS',
    'log bytes',
    'USD/M',
  ]
  const rows = sorted.map(([step, use]) => {
    const row = detailOf(use, payments)
    return [
      step,
      row.calls.toFixed(2),
      row.lambdaRequests.toFixed(2),
      row.recordsPerInvocation.toFixed(1),
      row.measuredMs.toFixed(1),
      row.cpuMs.toFixed(1),
      row.billedMs.toFixed(0),
      row.writeUnits.toFixed(2),
      row.readUnits.toFixed(2),
      row.sqsRequests.toFixed(2),
      row.logBytes,
      row.usdPerMillion.toFixed(2),
    ]
  })
  return [head, ...rows]
}

export function serviceRows(whole: typeof noUsage, payments: number): (string | number)[][] {
  const usd = priceUsage(scaleUsage(whole, MILLION / payments))
  const total = sumUsage(usd)
  const rows = Object.entries(usd).toSorted(([, a], [, b]) => b - a)
  return [
    ['what it is paid for', 'a payment', 'USD/M', 'share'],
    ...rows.map(([unit, dollars]) => [
      unit,
      (whole[unit as PricedUnit] / payments).toPrecision(3),
      dollars.toFixed(2),
      `${Math.round((dollars / total) * 100)} %`,
    ]),
    ['total', '', total.toFixed(2), ''],
  ]
}

export function mapRound(usage: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(usage).map(([unit, value]) => [unit, round(value)]))
}
