import type { Part } from '../part.ts'
import { round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { QUERY_AND_SETTLE } from './billed-duration.ts'
import { meterSteps } from './meter-steps.ts'
import { meterTables } from './meter-tables.ts'
import { priceUsage, scaleUsage } from './prices.ts'
import { recordPayments } from './record-payments.ts'
import { detailOf, MILLION, mapRound, NOT_PER_PAYMENT, rowsOf, stepNamer, sum, sumOf, usdOf } from './report-steps.ts'

/** What a payment costs whose callback is lost and which the first query finds, from recorded calls. */
export const compensatedPart: Part = {
  title: 'Cost of a payment that a query finds, from recorded calls',
  measure: async ({ quick, print }) => {
    const { payments, table, traced, invocations, changes } = await recordPayments(quick ? 6 : 60, 'lost')
    const calls = invocations.flatMap((invocation) => invocation.calls)
    const metered = meterTables(table, calls, changes)
    const steps = meterSteps(invocations, metered, stepNamer(invocations, { QUERY_PAYMENT: QUERY_AND_SETTLE }), traced)
    const perPayment = [...steps].filter(([step]) => step !== NOT_PER_PAYMENT)
    const whole = sum(perPayment)
    const asked = perPayment.filter(([step]) => step === QUERY_AND_SETTLE)
    const paid = changes.filter(({ before, after }) => before === undefined && after?.['et']?.S === 'PAYMENT')
    if (paid.length !== payments) throw new Error(`${paid.length} of ${payments} payments were found.`)

    for (const line of layOut(rowsOf(perPayment, payments))) print(line)
    return {
      figures: [
        { name: 'compensated payment, AWS calls', value: callsOf(perPayment, payments), unit: 'calls/payment' },
        { name: 'compensated payment', value: usdOf(whole, payments), unit: 'USD/M' },
        { name: 'of it query and settle, AWS calls', value: callsOf(asked, payments), unit: 'calls/payment' },
        { name: 'of it query and settle', value: usdOf(sum(asked), payments), unit: 'USD/M' },
        { name: 'write units', value: round(whole.writeUnit / payments), unit: 'WRU/payment' },
        { name: 'failed calls', value: round(sumOf(perPayment, 'failedCalls') / payments, 3), unit: 'calls/payment' },
      ],
      details: {
        payments,
        steps: Object.fromEntries(perPayment.map(([step, use]) => [step, detailOf(use, payments)])),
        usdPerMillionByUnit: mapRound(priceUsage(scaleUsage(whole, MILLION / payments))),
      },
    }
  },
}

function callsOf(steps: Parameters<typeof sum>[0], payments: number): number {
  return round(steps.reduce((total, [, { calls }]) => total + calls, 0) / payments)
}
