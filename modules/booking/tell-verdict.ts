import type { Verdict } from '../core/verdict.ts'
import type { LogFields } from '../runtime/telemetry/log.ts'
import { logAndCount, type Metric, type MetricFields } from '../runtime/telemetry/metrics.ts'

const METRICS: { readonly [V in Verdict]?: readonly Metric[] } = {
  applied: ['PaymentApplied'],
  late: ['PaymentLate'],
  surplus: ['PaymentSurplus'],
  duplicate: ['CallbackDuplicate'],
  // Their transactions opened a ticket.
  mismatched: ['PaymentMismatched', 'TicketsOpened'],
  conflict: ['TicketsOpened'],
}

/** Says in one line what an event of a channel came to, and counts it. @param fields with the source that brought it */
export function tellVerdict(message: string, fields: MetricFields & LogFields, verdict: Verdict): void {
  logAndCount('INFO', message, METRICS[verdict] ?? [], { ...fields, result: verdict })
}
