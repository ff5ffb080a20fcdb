import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, expect, it } from 'vitest'
import { ensureTable } from '../../../../local/engines/dynamodb/ensure-table.ts'
import { openStream, type StreamReader } from '../../../../local/engines/dynamodb/open-stream.ts'
import { startDynamodb } from '../../../../local/engines/dynamodb/start-dynamodb.ts'
import { clientFor, ledgerProperties, makeStateDir } from './ledger-table.ts'

const stateDir = makeStateDir()
let dynamodb = await startDynamodb({ stateDir, env: {} })
const readers = new Set<StreamReader>()

afterEach(() => {
  for (const reader of readers) reader.close()
  readers.clear()
})
afterAll(async () => {
  await dynamodb.stop()
  rmSync(stateDir, { recursive: true })
})

function open(tableName: string, consumer: string, pollIntervalMs?: number): StreamReader {
  const statePath = join(stateDir, 'positions.sqlite')
  const poll = pollIntervalMs === undefined ? {} : { pollIntervalMs }
  const reader = openStream({ endpoint: dynamodb.endpoint, tableName, statePath, consumer, ...poll })
  readers.add(reader)
  return reader
}

async function putItems(tableName: string, sks: string[]): Promise<void> {
  for (const sk of sks) {
    const item = { pk: { S: 'ORDER#1' }, sk: { S: sk } }
    await clientFor(dynamodb.endpoint).send(new PutItemCommand({ TableName: tableName, Item: item }))
  }
}

async function readSks(reader: StreamReader, max = 100): Promise<(string | undefined)[]> {
  return (await reader.read(max)).map((record) => record.dynamodb.Keys?.['sk']?.S)
}

it('a record has the shape that a function is given', async () => {
  const client = clientFor(dynamodb.endpoint)
  await ensureTable(client, 'Shape', ledgerProperties)
  const key = { pk: { S: 'ORDER#1' }, sk: { S: 'ORDER' } }
  await client.send(new PutItemCommand({ TableName: 'Shape', Item: { ...key, status: { S: 'PAYING' } } }))
  await client.send(new PutItemCommand({ TableName: 'Shape', Item: { ...key, status: { S: 'PAID' } } }))
  await client.send(new DeleteItemCommand({ TableName: 'Shape', Key: key }))

  const records = await open('Shape', 'dispatch').read(10)

  expect(records).toMatchObject([
    { eventName: 'INSERT', dynamodb: { Keys: key, NewImage: { status: { S: 'PAYING' } } } },
    { eventName: 'MODIFY', dynamodb: { OldImage: { status: { S: 'PAYING' } }, NewImage: { status: { S: 'PAID' } } } },
    { eventName: 'REMOVE', dynamodb: { OldImage: { status: { S: 'PAID' } } } },
  ])
  expect(records[0]).toMatchObject({
    eventID: expect.any(String),
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    eventSourceARN: expect.stringMatching(/^arn:aws:dynamodb:us-east-1:000000000000:table\/Shape\/stream\//),
    dynamodb: { SequenceNumber: expect.any(String), StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })
  expect(records[0]?.dynamodb.OldImage).toBeUndefined()
})

it('records come again until committed, each consumer at its own place', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Places', ledgerProperties)
  await putItems('Places', ['1', '2', '3'])
  const dispatch = open('Places', 'dispatch')
  const publish = open('Places', 'publish')

  const first = await readSks(dispatch, 2)
  const again = await readSks(dispatch, 2)
  dispatch.commit()
  const next = await readSks(dispatch, 2)
  dispatch.commit()
  const atEnd = await readSks(dispatch, 2)
  const other = await readSks(publish)

  expect([first, again, next, atEnd, other]).toEqual([['1', '2'], ['1', '2'], ['3'], [], ['1', '2', '3']])
})

it('a part of a page can be committed and the rest comes again', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Parts', ledgerProperties)
  await putItems('Parts', ['1', '2', '3'])
  const reader = open('Parts', 'dispatch')
  const [first] = await reader.read(10)

  reader.commit(first?.dynamodb.SequenceNumber)

  expect(await readSks(reader)).toEqual(['2', '3'])
})

it('unread is what this consumer has not committed', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Unread', ledgerProperties)
  const reader = open('Unread', 'dispatch')
  const empty = await reader.hasUnread()
  await putItems('Unread', ['1'])
  const waiting = await reader.hasUnread()
  await reader.read(10)
  const read = await reader.hasUnread()
  reader.commit()
  const committed = await reader.hasUnread()

  expect([empty, waiting, read, committed]).toEqual([false, true, true, false])
})

it('records and places outlive a restart of engine and reader', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Restart', ledgerProperties)
  await putItems('Restart', ['1', '2', '3'])
  const before = open('Restart', 'dispatch')
  await before.read(1)
  before.commit()
  await before.read(1)
  await dynamodb.stop()
  dynamodb = await startDynamodb({ stateDir, env: {} })
  await putItems('Restart', ['4'])

  const after = await readSks(open('Restart', 'dispatch'))

  expect(after).toEqual(['2', '3', '4'])
})

it('a poke ends the wait, also one that came while reading', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Pokes', ledgerProperties)
  const reader = open('Pokes', 'dispatch', 3_600_000)
  const reading = reader.read(10)
  reader.poke()
  await reading
  await reader.wait()
  await reader.read(10)
  const waiting = reader.wait()

  reader.poke()

  await expect(waiting).resolves.toBeUndefined()
})

it('a table without stream is an error that says so', async () => {
  await ensureTable(clientFor(dynamodb.endpoint), 'Gate', { ...ledgerProperties, StreamSpecification: undefined })

  await expect(open('Gate', 'dispatch').read(1)).rejects.toThrow('Table Gate has no stream.')
})
