import type { Part } from '../part.ts'
import { round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { compareUnits } from './compare-units.ts'
import { explainCallbacks, explainWrites } from './explain-writes.ts'
import { meterSteps, type StepUse } from './meter-steps.ts'
import { meterTables } from './meter-tables.ts'
import { addUsage, noUsage, type PricedUnit, priceUsage, scaleUsage, sumUsage } from './prices.ts'
import { recordPayments } from './record-payments.ts'
import type { Invocation, Subject } from './recording.ts'

const MILLION = 1_000_000
/** Budgets in USD per million payments. Source: issue 2 */
const CALLBACK_TO_SETTLED_USD = 15
const WHOLE_USD = 60
const CALLBACK_TO_SETTLED = ['take the callback', 'settle']
/** Runs whether or not anybody pays; a fixed cost in docs/cost.md. */
const NOT_PER_PAYMENT = 'sweep'

const NAMES: Readonly<Record<string, string>> = {
  'PUT /orders/{orderNo}': 'create the order',
  'POST /orders/{orderNo}/payments': 'start the payment',
  'POST /callbacks/{channel}': 'take the callback',
  settle: 'settle',
  DELIVER: 'deliver',
  QUERY_PAYMENT: 'query timer',
  CLOSE_ORDER: 'close timer',
  publish: 'publish',
}

/** What a happy payment costs, from recorded calls. */
export const costPart: Part = {
  title: 'Cost of a happy payment, from recorded calls',
  measure: async ({ quick, print }) => {
    const { payments, table, invocations, changes } = await recordPayments(quick ? 8 : 64)
    const metered = meterTables(
      table,
      invocations.flatMap(({ calls }) => calls),
      changes,
    )
    const steps = meterSteps(invocations, metered, stepNamer(invocations))
    const perPayment = [...steps].filter(([step]) => step !== NOT_PER_PAYMENT)
    const whole = sum(perPayment)
    const toSettled = sum(perPayment.filter(([step]) => CALLBACK_TO_SETTLED.includes(step)))

    for (const line of layOut(rowsOf(perPayment, payments))) print(line)
    print('')
    for (const line of layOut(serviceRows(whole, payments))) print(line)
    print('')
    for (const line of layOut(explainWrites(metered, payments))) print(line)
    print('')
    for (const line of layOut(explainCallbacks(changes))) print(line)
    print('')
    const paid = invocations.filter(({ folder }) => folder !== NOT_PER_PAYMENT)
    const compared = compareUnits(paid, metered, payments)
    for (const line of compared.lines) print(line)
    const warm = invocations.filter(({ folder, calls }) => folder === 'ingress' && !calls.some(isSecretCall))
    const ackCalls = warm.flatMap(({ calls }) => calls.reduce((sum, { requests }) => sum + requests, 0))
    return {
      figures: [
        {
          name: 'callback to settled',
          value: usdOf(toSettled, payments),
          unit: 'USD/M',
          atMost: CALLBACK_TO_SETTLED_USD,
        },
        { name: 'whole payment', value: usdOf(whole, payments), unit: 'USD/M', atMost: WHOLE_USD },
        { name: 'AWS calls of a warm ack, most', value: Math.max(...ackCalls), unit: 'calls', atMost: 1 },
        { name: 'write units', value: round(whole.writeUnit / payments), unit: 'WRU/payment' },
        { name: 'failed calls', value: round(sumOf(perPayment, 'failedCalls') / payments, 3), unit: 'calls/payment' },
      ],
      details: {
        payments,
        steps: Object.fromEntries(perPayment.map(([step, use]) => [step, detailOf(use, payments)])),
        usdPerMillionByUnit: mapRound(priceUsage(scaleUsage(whole, MILLION / payments))),
        engine: compared.details,
      },
    }
  },
}

const isSecretCall = ({ service }: { readonly service: string }): boolean => service === 'SecretsManager'

/** Tasks are named by their type, which the dispatch of their trigger tells. */
function stepNamer(invocations: readonly Invocation[]): (folder: string, subject: Subject) => string {
  const types = new Map(
    invocations.flatMap(({ subjects }) =>
      subjects.flatMap(({ taskNo, bizType }) =>
        taskNo !== undefined && bizType !== undefined ? [[taskNo, bizType]] : [],
      ),
    ),
  )
  return (_folder, { step, taskNo }) => {
    const name = (taskNo !== undefined && types.get(taskNo)) || step
    return NAMES[name] ?? name
  }
}

type Steps = readonly (readonly [string, StepUse])[]

const sum = (steps: Steps) => steps.reduce((total, [, { usage }]) => addUsage(total, usage), noUsage)
const sumOf = (steps: Steps, name: 'failedCalls') => steps.reduce((total, [, use]) => total + use[name], 0)
const usdOf = (usage: typeof noUsage, payments: number) => round((sumUsage(priceUsage(usage)) / payments) * MILLION)

function detailOf({ usage, ...rest }: StepUse, payments: number) {
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

function rowsOf(steps: Steps, payments: number): (string | number)[][] {
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

function serviceRows(whole: typeof noUsage, payments: number): (string | number)[][] {
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

function mapRound(usage: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(usage).map(([unit, value]) => [unit, round(value)]))
}
