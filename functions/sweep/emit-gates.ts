import type { GateTable } from '../../modules/gate/gate-table.ts'
import { readGates } from '../../modules/gate/read-gates.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'

/**
 * Tells rate and state of each gate, once a round: from the rows and not from the changes that `work` makes, for a change whose
 * answer got lost is told to nobody, and a lane that stays open changes nothing. Never throws: the sweep is not about gates.
 * Source: docs/design/metrics.md
 */
export async function emitGates(table: GateTable, lanes: readonly string[]): Promise<void> {
  try {
    for (const [lane, { state, intervalMs }] of await readGates(table, lanes)) {
      emitMetric('GateRate', { lane }, Math.round(1_000_000 / intervalMs) / 1000)
      emitMetric('GateStopped', { lane }, state === 'PASSING' ? 0 : 1)
    }
  } catch (error) {
    log('ERROR', 'The gates could not be read; their metrics miss a minute.', errorFields(error))
  }
}
