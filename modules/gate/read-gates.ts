import { BatchGetCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { GateRow } from '../core/gate/row.ts'
import { type GateTable, gateRow } from './gate-table.ts'

const laneOf = z.object({ lane: z.string() })

/**
 * The rows of many lanes in one call, as they were a moment ago; for those who only look. Lanes that were never used have none.
 * @param lanes at most 100, which is what one BatchGetItem takes
 * @throws ZodError when a row is not of our form; errors of the SDK
 */
export async function readGates(gate: GateTable, lanes: readonly string[]): Promise<ReadonlyMap<string, GateRow>> {
  const { Responses } = await gate.client.send(
    new BatchGetCommand({ RequestItems: { [gate.table]: { Keys: lanes.map((lane) => ({ lane })) } } }),
  )
  // What DynamoDB left unprocessed is missing, as a lane without a row is: whoever looks each minute sees it the next time.
  return new Map((Responses?.[gate.table] ?? []).map((item) => [laneOf.parse(item).lane, gateRow.parse(item)]))
}
