import type { Row } from '../../../modules/ledger/table/rows.ts'
import type { AckMeter } from './ack-meter.ts'

/** The demonstration's closing table: how the orders and payments came out. */
export function reportTable(rows: readonly Row[], meter: AckMeter, planned: number): string {
  const of = <Type extends Row['et']>(type: Type) =>
    rows.filter((row): row is Extract<Row, { et: Type }> => row.et === type)
  const orders = of('ORDER')
  const payments = of('PAYMENT')
  const tasks = of('TASK')
  const ofStatus = (status: string): number => orders.filter((order) => order.status === status).length
  const ofRole = (role: string): number => payments.filter((payment) => payment.role === role).length
  const lines: readonly (readonly [string, string | number])[] = [
    ['orders planned', planned],
    ['orders created', orders.length],
    ['  delivered', ofStatus('DELIVERED')],
    ['  paid, not delivered', ofStatus('PAID')],
    ['  closed unpaid', ofStatus('CLOSED')],
    ['payments', payments.length],
    ['  applied', ofRole('APPLIED')],
    ['  surplus', ofRole('SURPLUS')],
    ['  late', ofRole('LATE')],
    ['  mismatched', ofRole('MISMATCHED')],
    ['  orphan', ofRole('ORPHAN')],
    ['callbacks kept', of('CALLBACK').length],
    ['  repeats', of('CALLBACK').reduce((sum, callback) => sum + callback.seen - 1, 0)],
    ['callbacks parked', tasks.filter((task) => task.bizType === 'SETTLE_CALLBACK').length],
    ['tickets (manual)', tasks.filter((task) => task.status === 'MANUAL').length],
    ['task attempts', of('ATTEMPT').length],
    ['acks', meter.count()],
    ['  p50 / p99 ms', `${ms(meter.percentile(0.5))} / ${ms(meter.percentile(0.99))}`],
  ]
  return lines.map(([name, value]) => `  ${name.padEnd(24)} ${String(value).padStart(12)}`).join('\n')
}

const ms = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1))
