import {
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { openClient, openTestLedger } from '../../../support/ledger.ts'

/** What the engine accepts and DynamoDB refuses; when one of these fails, docs/local-engines.md is shorter by a line. */
const { table: TableName, endpoint } = await openTestLedger()
const client = openClient(endpoint)
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'ROW' } })

it.each([
  ['partition', 'x'.repeat(2049), '2026-12-01'],
  ['sort', 'D#00', 'x'.repeat(1025)],
])('a %s key of an index that is too long is accepted', async (_which, duePk, dueAt) => {
  const answer = await client.send(
    new PutItemCommand({ TableName, Item: { ...key('LONG'), duePk: { S: duePk }, dueAt: { S: dueAt } } }),
  )

  expect(answer.$metadata.httpStatusCode).toBe(200)
})

it('an empty prefix of a key condition is accepted', async () => {
  const answer = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': { S: 'LONG' }, ':prefix': { S: '' } },
    }),
  )

  expect(answer.$metadata.httpStatusCode).toBe(200)
})

it.each([
  ['one attribute set twice', 'SET seen = :one, seen = :one'],
  ['one attribute set and removed', 'SET seen = :one REMOVE seen'],
  ['one attribute set and added to', 'SET seen = :one ADD seen :one'],
  ['a key attribute set', 'SET pk = :one'],
])('%s in an update is accepted inside a transaction, and only there', async (_what, UpdateExpression) => {
  const update = { TableName, UpdateExpression, ExpressionAttributeValues: { ':one': { N: '1' } } }

  const answer = await client.send(
    new TransactWriteItemsCommand({ TransactItems: [{ Update: { ...update, Key: key('TWICE') } }] }),
  )

  expect(answer.$metadata.httpStatusCode).toBe(200)
  await expect(client.send(new UpdateItemCommand({ ...update, Key: key('ONCE') }))).rejects.toMatchObject({
    name: 'ValidationException',
  })
})

it('a strongly consistent read of an index is refused, as by DynamoDB', async () => {
  const scan = client.send(new ScanCommand({ TableName, IndexName: 'due', ConsistentRead: true }))

  await expect(scan).rejects.toMatchObject({ name: 'ValidationException' })
})
