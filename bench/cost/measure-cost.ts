import type { Part } from '../part.ts'
import { round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { compareUnits } from './compare-units.ts'
import { explainCallbacks, explainWrites } from './explain-writes.ts'
import { meterSteps } from './meter-steps.ts'
import { meterTables } from './meter-tables.ts'
import { priceUsage, scaleUsage } from './prices.ts'
import { recordPayments } from './record-payments.ts'
import {
  detailOf,
  MILLION,
  mapRound,
  NOT_PER_PAYMENT,
  rowsOf,
  serviceRows,
  stepNamer,
  sum,
  sumOf,
  usdOf,
} from './report-steps.ts'

/** Budgets in USD per million payments. Source: issue 2 */
const CALLBACK_TO_SETTLED_USD = 15
const WHOLE_USD = 60
const CALLBACK_TO_SETTLED = ['take the callback', 'settle']
/** What a happy payment costs, from recorded calls. */
export const costPart: Part = {
  title: 'Cost of a happy payment, from recorded calls',
  measure: async ({ quick, print }) => {
    const { payments, table, traced, invocations, changes } = await recordPayments(quick ? 8 : 64)
    const metered = meterTables(
      table,
      invocations.flatMap(({ calls }) => calls),
      changes,
    )
    const steps = meterSteps(invocations, metered, stepNamer(invocations), traced)
    const perPayment = [...steps].filter(([step]) => step !== NOT_PER_PAYMENT)
    const whole = sum(perPayment)
    const toBooked = sum(perPayment.filter(([step]) => CALLBACK_TO_SETTLED.includes(step)))

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
          value: usdOf(toBooked, payments),
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
