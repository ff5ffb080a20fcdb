import { rmSync } from 'node:fs'
import { DescribeTableCommand, DescribeTimeToLiveCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { ensureTable } from '../../../../local/engines/dynamodb/ensure-table.ts'
import { startDynamodb } from '../../../../local/engines/dynamodb/start-dynamodb.ts'
import { sweepExpired } from '../../../../local/engines/dynamodb/sweep-expired.ts'
import { clientFor, ledgerProperties, makeStateDir } from './ledger-table.ts'

const stateDir = makeStateDir()
const dynamodb = await startDynamodb({ stateDir, env: {} })
const client = clientFor(dynamodb.endpoint)

afterAll(async () => {
  await dynamodb.stop()
  rmSync(stateDir, { recursive: true })
})

it('a table is made as the template describes it, once', async () => {
  await ensureTable(client, 'Ledger', ledgerProperties)
  await ensureTable(client, 'Ledger', ledgerProperties)

  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Ledger' }))
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: 'Ledger' }))
  expect(Table).toMatchObject({
    TableStatus: 'ACTIVE',
    KeySchema: ledgerProperties.KeySchema,
    GlobalSecondaryIndexes: [{ IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })
  expect(ttl.TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' })
})

it('two starts that make the same table at once both succeed', async () => {
  const both = [ensureTable(client, 'Twice', ledgerProperties), ensureTable(client, 'Twice', ledgerProperties)]

  await expect(Promise.all(both)).resolves.toHaveLength(2)
})

it('a table with other keys than the template is refused', async () => {
  await ensureTable(client, 'Older', {
    ...ledgerProperties,
    GlobalSecondaryIndexes: [],
    AttributeDefinitions: ledgerProperties.AttributeDefinitions.slice(0, 2),
  })

  const again = ensureTable(client, 'Older', ledgerProperties)

  await expect(again).rejects.toMatchObject({ code: 'TABLE_DIFFERS' })
})

it('only items whose time to live has passed are swept', async () => {
  await ensureTable(client, 'Expiring', ledgerProperties)
  const times = { past: { N: '999' }, now: { N: '1000' }, future: { N: '1001' }, text: { S: '1' } }
  for (const [sk, expiresAt] of Object.entries(times)) {
    await client.send(
      new PutItemCommand({ TableName: 'Expiring', Item: { pk: { S: 'TOKEN#1' }, sk: { S: sk }, expiresAt } }),
    )
  }

  const deleted = await sweepExpired(client, 'Expiring', 'expiresAt', { now: () => 1_000_000, onLeap: () => {} })

  const left = await client.send(new ScanCommand({ TableName: 'Expiring' }))
  expect(deleted).toBe(1)
  expect(left.Items?.map((item) => item['sk']?.S).sort()).toEqual(['future', 'now', 'text'])
})
