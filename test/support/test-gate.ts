import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import type { CallReport, GateChange } from '../../modules/core/gate/report.ts'
import { msOf } from '../../modules/core/instant.ts'
import { type Gate, openGate } from '../../modules/gate/open-gate.ts'
import { openClient } from './ledger.ts'
import type { TestClock } from './world.ts'

/** A gate on a table of its own, on a clock that only tests move, and what it was told. */
export interface TestGate extends Gate {
  readonly reports: (CallReport & { readonly lane: string })[]
  readonly changes: GateChange[]
}

let gates = 0

/** @param endpoint of the file's engine, which stops after its last test */
export async function openTestGate(endpoint: string, clock: TestClock): Promise<TestGate> {
  const table = `Gate${++gates}`
  const client = openClient(endpoint)
  await ensureTable(client, table, {
    KeySchema: [{ AttributeName: 'lane', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'lane', AttributeType: 'S' }],
  })
  const gate = openGate(table, { client, nowMs: () => msOf(clock.now()), random: () => 0 })
  const reports: TestGate['reports'] = []
  const changes: GateChange[] = []
  return {
    ...gate,
    reports,
    changes,
    report: async (lane, report) => {
      const change = await gate.report(lane, report)
      reports.push({ lane, ...report })
      if (change !== undefined) changes.push(change)
      return change
    },
  }
}
