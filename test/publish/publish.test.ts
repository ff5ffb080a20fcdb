import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { DynamoDBRecord } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readJournal } from '../../functions/publish/read-journal.ts'
import { aContext } from '../support/context.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, paid, putPayingOrder } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'
import { inserted, modified } from './stream-record.ts'

const { endpoint, table } = await openTestLedger()
const bus = mockClient(EventBridgeClient)
Object.assign(process.env, {
  BUS_NAME: 'backstop',
  LEDGER_TABLE: table,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
})

beforeEach(() => {
  bus.rejects(new Error('an unexpected call'))
  bus.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'e' }] })
})
afterEach(() => bus.reset())

async function publish(records: readonly DynamoDBRecord[]) {
  const { handler } = await import('../../functions/publish/handler.ts')
  return handler({ Records: [...records] }, aContext('publish'))
}

const entries = () => bus.commandCalls(PutEventsCommand).flatMap(({ args }) => args[0].input.Entries ?? [])

it('each change of an order is one event, numbered by order and revision', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  const { journal } = await fileOf(world, orderNo)

  const result = await publish(journal.map((row) => inserted(row)))

  expect(result).toEqual({ batchItemFailures: [] })
  expect(entries().map((entry) => entry.DetailType)).toEqual(['order.wait_pay', 'order.paying', 'order.paid'])
  expect(entries().every((entry) => entry.Source === 'backstop' && entry.EventBusName === 'backstop')).toBe(true)
  const last = journal.at(-1)
  expect(JSON.parse(entries().at(-1)?.Detail ?? '')).toEqual({
    v: 1,
    id: `${orderNo}/${last?.orderRev}`,
    orderNo,
    from: 'PAYING',
    to: 'PAID',
    at: last?.at,
    operatorType: 'CALLBACK',
    reason: 'CHANNEL_PAID',
    evidence: last?.evidence,
  })
})

it('a change that the bus took leaves its row as it is: no write, no cost', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { journal } = await fileOf(world, orderNo)

  await publish(journal.map((row) => inserted(row)))

  expect((await fileOf(world, orderNo)).journal).toEqual(journal)
})

it('a freeze is in the journal and not on the bus', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))
  const { journal } = await fileOf(world, orderNo)

  await publish(journal.map((row) => inserted(row)))

  expect(journal.map(({ from, to }) => `${from}>${to}`)).toContain('PAYING>PAYING')
  expect(entries().map((entry) => entry.DetailType)).toEqual(['order.wait_pay', 'order.paying'])
})

it('rows of other types, and writes of a journal row that ask for nothing, are no events', async () => {
  const world = await openWorld()
  const { order, journal, tasks, lines } = await fileOf(world, await putPayingOrder(world))
  const [row] = journal
  const marked = { ...row, duePk: 'D#00', dueAt: '2026-03-01T08:01:00.000Z', publishTries: 1 }
  const asked = { ...marked, wake: '2026-03-01T08:02:00.000Z' }

  for (const other of [order, ...tasks, ...lines]) expect(readJournal(inserted(other ?? {}))).toBeUndefined()
  for (const [before, after] of [
    [row, marked],
    [asked, { ...asked, rev: 9 }],
    [asked, row],
  ] as const) {
    expect(readJournal(modified(before ?? {}, after ?? {}))).toBeUndefined()
  }
  expect(readJournal(inserted(row ?? {}))).toMatchObject({ failures: 0 })
  expect(readJournal(modified(marked, asked))).toMatchObject({ failures: 1, wake: asked.wake })
  expect(readJournal(modified(asked, { ...asked, wake: '2026-03-01T08:07:00.000Z' }))).toBeDefined()
})

it.each([
  [{ Entries: [{ ErrorCode: 'ThrottlingException' }], FailedEntryCount: 1 }],
  [{ Entries: [{}], FailedEntryCount: 0 }],
  [{ Entries: [] }],
  [{}],
])('an event without an id in a 200 answer is marked in its row, and no record comes again: %j', async (answer) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { journal } = await fileOf(world, orderNo)
  bus
    .on(PutEventsCommand)
    .resolvesOnce(answer)
    .resolves({ Entries: [{ EventId: 'e' }] })

  const result = await publish(journal.map((row, index) => inserted(row, String(index))))

  const [refused, taken] = (await fileOf(world, orderNo)).journal
  expect(result.batchItemFailures).toEqual([])
  expect(entries()).toHaveLength(2)
  expect(refused).toMatchObject({ publishTries: 1, rev: 2, duePk: expect.stringMatching(/^D#\d\d$/) })
  expect(taken).toEqual(journal[1])
})

it('when the bus does not answer, every row is marked and the stream goes on', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { journal } = await fileOf(world, orderNo)
  bus.on(PutEventsCommand).rejects(new Error('no answer'))

  const result = await publish(journal.map((row, index) => inserted(row, String(index))))

  const marked = (await fileOf(world, orderNo)).journal
  expect(result.batchItemFailures).toEqual([])
  expect(marked.map(({ publishTries, dueAt }) => [publishTries, typeof dueAt])).toEqual([
    [1, 'string'],
    [1, 'string'],
  ])
})

it('a record that comes again after its row was marked is published or leaves the mark as it is', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { journal } = await fileOf(world, orderNo)
  bus.on(PutEventsCommand).rejects(new Error('no answer'))
  const records = journal.map((row, index) => inserted(row, String(index)))
  await publish(records)
  const once = (await fileOf(world, orderNo)).journal

  const result = await publish(records)

  expect(result.batchItemFailures).toEqual([])
  expect((await fileOf(world, orderNo)).journal).toEqual(once)
})

it('a record whose row is not there to be marked comes again', async () => {
  const world = await openWorld()
  const { journal } = await fileOf(world, await putPayingOrder(world))
  bus.on(PutEventsCommand).rejects(new Error('no answer'))

  const result = await publish([inserted({ ...journal[0], sk: 'J#999999' }, '7')])

  expect(result.batchItemFailures).toEqual([{ itemIdentifier: '7' }])
})
