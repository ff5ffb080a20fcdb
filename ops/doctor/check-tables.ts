import { DescribeTableCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { instantOf } from '../../modules/core/instant.ts'
import { dueShards } from '../../modules/ledger/read/read-due.ts'
import { type Finding, fault, findSafely, ok } from './finding.ts'
import type { Target } from './target.ts'

const INDEXES = ['due', 'find'] as const
/** The sweep moves every due row on within a minute or two; the alarm on it rings after five. */
const SWEPT_WITHIN_MINUTES = 6
const DEPLOY = 'deploy the stack again; a table is never made by hand'

/** The tables with their indexes and stream, and that the sweep moves on what is due. */
export async function checkTables({ config, outputs, dynamodb }: Target, nowMs: number): Promise<Finding[]> {
  const ledger = outputs['LedgerTable'] ?? ''
  // A table on this machine is a file that anybody may remove.
  const mustBeProtected = config.stage !== 'local'
  return Promise.all([
    findSafely('ledger table', DEPLOY, () => checkLedger(dynamodb, ledger, mustBeProtected)),
    findSafely('gate table', DEPLOY, () => checkGate(dynamodb, outputs['GateTable'], mustBeProtected)),
    findSafely('sweep', 'look at the log of sweep', () => checkSweep(dynamodb, ledger, nowMs)),
  ])
}

const UNPROTECTED = 'it is not protected from deletion'
const PROTECT = 'deploy once more, without -c deploy=first'

async function checkLedger(client: DynamoDBClient, name: string, mustBeProtected: boolean): Promise<Finding> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
  const indexes = Table?.GlobalSecondaryIndexes ?? []
  const faults = [
    ...(Table?.TableStatus === 'ACTIVE' ? [] : [`the table is ${Table?.TableStatus}`]),
    ...INDEXES.flatMap((index) => {
      const status = indexes.find(({ IndexName }) => IndexName === index)?.IndexStatus
      return status === 'ACTIVE' ? [] : [`the index ${index} is ${status ?? 'not there'}`]
    }),
    ...(Table?.StreamSpecification?.StreamEnabled === true ? [] : ['it has no stream']),
  ]
  if (faults.length > 0) return fault('ledger table', faults.join(', '), DEPLOY)
  return mustBeProtected && Table?.DeletionProtectionEnabled !== true
    ? fault('ledger table', UNPROTECTED, PROTECT)
    : ok('ledger table', `active, with the indexes ${INDEXES.join(' and ')} and its stream`)
}

async function checkGate(client: DynamoDBClient, name: string | undefined, mustBeProtected: boolean): Promise<Finding> {
  if (name === undefined) return fault('gate table', 'is not in the outputs', DEPLOY)
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
  if (Table?.TableStatus !== 'ACTIVE') return fault('gate table', `is ${Table?.TableStatus}`, DEPLOY)
  return mustBeProtected && Table.DeletionProtectionEnabled !== true
    ? fault('gate table', UNPROTECTED, PROTECT)
    : ok('gate table', 'active')
}

/** Seen by its work and not by its metric: whatever it did, a row that it passed by is what a customer waits for. */
async function checkSweep(client: DynamoDBClient, table: string, nowMs: number): Promise<Finding> {
  const before = instantOf(nowMs - SWEPT_WITHIN_MINUTES * 60_000)
  const oldest = await Promise.all(dueShards.map((shard) => readOldest(client, table, shard, before)))
  const [first] = oldest.filter((dueAt) => dueAt !== undefined).toSorted()
  return first === undefined
    ? ok('sweep', `no row waits for it longer than ${SWEPT_WITHIN_MINUTES} minutes`)
    : fault(
        'sweep',
        `a row has waited for it since ${first}`,
        'docs/runbook.md, "SweepSilent"; a row that is not of its schema looks the same',
      )
}

async function readOldest(
  client: DynamoDBClient,
  table: string,
  shard: string,
  before: string,
): Promise<string | undefined> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'due',
      KeyConditionExpression: 'duePk = :shard AND dueAt <= :before',
      ExpressionAttributeValues: { ':shard': { S: shard }, ':before': { S: before } },
      Limit: 1,
    }),
  )
  return Items[0]?.['dueAt']?.S
}
