import type { ChannelId } from '../core/ids.ts'
import type { Verdict } from '../ledger/rows.ts'
import { emitMetric, type Metric } from '../telemetry/metrics.ts'

const METRICS: { readonly [V in Verdict]?: Metric } = {
  applied: 'PaymentApplied',
  late: 'PaymentLate',
  surplus: 'PaymentSurplus',
  mismatched: 'PaymentMismatched',
  duplicate: 'CallbackDuplicate',
}

/** Verdicts whose transaction opened a ticket. */
const WITH_TICKET: ReadonlySet<Verdict> = new Set<Verdict>(['mismatched', 'conflict'])

/** Counts what a callback came to, per channel. */
export function countVerdict(channel: ChannelId, verdict: Verdict): void {
  const metric = METRICS[verdict]
  if (metric !== undefined) emitMetric(metric, { channel })
  if (WITH_TICKET.has(verdict)) emitMetric('TicketsOpened')
}
