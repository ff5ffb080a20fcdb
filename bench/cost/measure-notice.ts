import type { NoticeType } from '../../modules/core/notice.ts'
import type { Part } from '../part.ts'
import { round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { meterSteps } from './meter-steps.ts'
import { meterTables } from './meter-tables.ts'
import { recordPayments } from './record-payments.ts'
import { NOT_PER_PAYMENT, rowsOf, stepNamer, sum, usdOf } from './report-steps.ts'

/** What one notice adds to a payment: the same payments with it and without any. */
export const noticePart: Part = {
  title: 'Cost of one notice to the merchant, from recorded calls',
  measure: async ({ quick, print }) => {
    const payments = quick ? 8 : 32
    const [without, withOne] = [await measure(payments, []), await measure(payments, ['order.paid'])]
    for (const line of layOut(rowsOf(withOne.steps, payments))) print(line)
    return {
      figures: [
        { name: 'one notice', value: round(withOne.usd - without.usd), unit: 'USD/M' },
        { name: 'of it write units', value: round(withOne.writeUnits - without.writeUnits), unit: 'WRU/notice' },
      ],
      details: { payments, usdPerMillion: { without: without.usd, withOne: withOne.usd } },
    }
  },
}

async function measure(payments: number, told: readonly NoticeType[]) {
  const { table, traced, invocations, changes } = await recordPayments(payments, 'sent', told)
  const calls = invocations.flatMap((invocation) => invocation.calls)
  const metered = meterTables(table, calls, changes)
  const all = meterSteps(invocations, metered, stepNamer(invocations), traced)
  const steps = [...all].filter(([step]) => step !== NOT_PER_PAYMENT)
  const whole = sum(steps)
  return { steps, usd: usdOf(whole, payments), writeUnits: whole.writeUnit / payments }
}
