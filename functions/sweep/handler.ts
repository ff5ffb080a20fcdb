// Trigger: a schedule, each minute.
// Reads: every shard of the due index, then the base rows; the gates, for their metrics alone. Writes: rows only (a new `wake`, a
// lapsed lease taken back); the stream sends.
// On failure: SweepFailed per shard; without a SweepHeartbeat, sent after whole rounds alone, an alarm rings. The next minute looks again
// at everything; where time was too short, it goes on where this one stopped.
import type { Context, ScheduledEvent } from 'aws-lambda'
import { instantOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { gateClient, openGateTable } from '../../modules/gate/gate-table.ts'
import type { DuePlace } from '../../modules/ledger/read/read-due.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import { emitGates } from './emit-gates.ts'
import { sweepSettings } from './settings.ts'
import { sweepAll } from './sweep-all.ts'

const settings = readSettings(sweepSettings)
const deps = { ledger: openLedger(settings.LEDGER_TABLE), policies: bindPolicies(settings.POLICIES) }
const gates = openGateTable(settings.GATE_TABLE, gateClient())
const gatedLanes = settings.GATED_LANES

/** Where this environment's last round stopped for lack of time. */
const places = new Map<string, DuePlace>()

/** Time kept for finishing the page at hand. */
const RESERVED_MS = 10_000

export const handler = openFrame<ScheduledEvent, void>().handler(sweep)

async function sweep(_event: ScheduledEvent, context: Context): Promise<void> {
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVED_MS
  const report = await sweepAll(deps, instantOf(Date.now()), hasTime, places)
  for (const [lane, { count, oldestS }] of report.backlog) {
    emitMetric('DueBacklog', { lane }, count)
    emitMetric('OldestDueSeconds', { lane }, oldestS, 'Seconds')
  }
  if (report.tickets > 0) {
    emitMetric('TicketsOpen', {}, report.tickets)
    emitMetric('OldestTicketSeconds', {}, report.oldestTicketS, 'Seconds')
  }
  const failed = report.failedShards + report.failedRows
  if (failed > 0) emitMetric('SweepFailed', {}, failed)
  if (report.unfinishedShards > 0) emitMetric('SweepUnfinished', {}, report.unfinishedShards)
  if (report.failedShards + report.unfinishedShards === 0) emitMetric('SweepHeartbeat')
  await emitGates(gates, gatedLanes)
  const { woken, left } = report.swept
  log('INFO', 'A round of the sweep.', {
    woken,
    takenBack: report.swept['taken back'],
    left,
    failed,
    unfinished: report.unfinishedShards,
  })
}
