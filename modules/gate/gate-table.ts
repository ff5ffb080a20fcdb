import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod/mini'
import { type GateClause, type GateRow, type GateState, type GateWrite, gateStates } from '../core/gate/row.ts'

/** The Gate table: one row per lane, never in a transaction. */
export interface GateTable {
  readonly client: DynamoDBDocumentClient
  readonly table: string
}

const time = z.number().check(z.nonnegative())
const count = z.int().check(z.nonnegative())

/** The words that releases before 0.2 wrote; a lane that nobody has called since still holds them. */
const formerWords: Readonly<Record<GateState, string>> = { PASSING: 'CLOSED', STOPPED: 'OPEN', PAUSED: 'PAUSED' }
const stateOfWord = (word: unknown): unknown =>
  gateStates.find((state) => word === state || word === formerWords[state]) ?? word

/** A row as it is read. */
export const gateRow: z.ZodMiniType<GateRow> = z.object({
  tat: time,
  liveTat: time,
  intervalMs: z.number().check(z.positive()),
  state: z.pipe(z.transform(stateOfWord), z.enum(gateStates)),
  epoch: count,
  windowAt: time,
  calls: count,
  failures: count,
  openUntil: time,
  probes: count,
  reason: z.string(),
})

/** What became of a write; `lost` carries the row that stood in its way, `undefined` when there is none. */
export type Written =
  | { readonly kind: 'done'; readonly row: GateRow }
  | { readonly kind: 'lost'; readonly row: GateRow | undefined }

/**
 * A client for the gate alone: it gives up early, for a task that meets no gate is parked and loses nothing.
 * Both tries end within 2 s.
 */
export function gateClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true },
  })
}

export function openGateTable(table: string, client: DynamoDBClient): GateTable {
  return { client: DynamoDBDocumentClient.from(client), table }
}

/** Reads a lane's row consistently. @throws ZodError when the row is not of our form; errors of the SDK */
export async function readGateRow(gate: GateTable, lane: string): Promise<GateRow | undefined> {
  const { Item } = await gate.client.send(
    new GetCommand({ TableName: gate.table, Key: { lane }, ConsistentRead: true }),
  )
  return Item === undefined ? undefined : gateRow.parse(Item)
}

/** Carries out one write: a single UpdateItem. @throws ZodError, errors of the SDK other than a failed condition */
export async function writeGateRow(gate: GateTable, lane: string, write: GateWrite): Promise<Written> {
  try {
    const { Attributes } = await gate.client.send(
      new UpdateCommand({
        TableName: gate.table,
        Key: { lane },
        ...expressionsOf(write),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return { kind: 'done', row: gateRow.parse(Attributes) }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    return { kind: 'lost', row: error.Item === undefined ? undefined : gateRow.parse(unmarshall(error.Item)) }
  }
}

/** Every field goes through a placeholder: `state` is a reserved word. */
function expressionsOf({ set, add, when }: GateWrite) {
  const sets = Object.entries(set)
  const adds = Object.entries(add)
  const fields = [...sets.map(([field]) => field), ...adds.map(([field]) => field), ...when.map(({ field }) => field)]
  const setPart = sets.length === 0 ? '' : `SET ${sets.map(([field]) => `#${field} = :${field}`).join(', ')}`
  const addPart = adds.length === 0 ? '' : ` ADD ${adds.map(([field]) => `#${field} :${field}`).join(', ')}`
  return {
    UpdateExpression: setPart + addPart,
    ConditionExpression: when.map(conditionOf).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(fields.map((field) => [`#${field}`, field])),
    ExpressionAttributeValues: Object.fromEntries([
      ...[...sets, ...adds].map(([field, value]) => [`:${field}`, value]),
      ...when.flatMap(valuesOf),
    ]),
  }
}

function conditionOf(clause: GateClause, index: number): string {
  if (clause.is === 'absent') return `attribute_not_exists(#${clause.field})`
  if (clause.field === 'state') return `#state IN (:when${index}, :former${index})`
  return `#${clause.field} ${clause.is} :when${index}`
}

function valuesOf(clause: GateClause, index: number): readonly (readonly [string, string | number])[] {
  if (clause.is === 'absent') return []
  if (clause.field !== 'state') return [[`:when${index}`, clause.value]]
  return [
    [`:when${index}`, clause.value],
    [`:former${index}`, formerWords[clause.value]],
  ]
}
