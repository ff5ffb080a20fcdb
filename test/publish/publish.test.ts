import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readJournal } from '../../functions/publish/read-journal.ts'
import { fileOf, paid, putPayingOrder } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const bus = mockClient(EventBridgeClient)
process.env['BUS_NAME'] = 'backstop'
process.env['AWS_REGION'] = 'us-east-1'

beforeEach(() => {
  bus.rejects(new Error('an unexpected call'))
  bus.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'e' }] })
})
afterEach(() => bus.reset())

const asRecord = (item: object, eventName: 'INSERT' | 'MODIFY' = 'INSERT', number = '1'): DynamoDBRecord => ({
  eventName,
  dynamodb: { SequenceNumber: number, NewImage: marshall(item) as Record<string, AttributeValue> },
})

async function publish(records: readonly DynamoDBRecord[]) {
  const { handler } = await import('../../functions/publish/handler.ts')
  return handler(
    { Records: [...records] },
    Object.assign(Object.create(null), { getRemainingTimeInMillis: () => 60_000 }),
  )
}

const entries = () => bus.commandCalls(PutEventsCommand).flatMap(({ args }) => args[0].input.Entries ?? [])

test('each change of an order is one event, numbered by order and revision', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  const { journal } = await fileOf(world, orderNo)

  const result = await publish(journal.map((row) => asRecord(row)))

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

test('a freeze is in the journal and not on the bus', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))
  const { journal } = await fileOf(world, orderNo)

  await publish(journal.map((row) => asRecord(row)))

  expect(journal.map(({ from, to }) => `${from}>${to}`)).toContain('PAYING>PAYING')
  expect(entries().map((entry) => entry.DetailType)).toEqual(['order.wait_pay', 'order.paying'])
})

test('rows of other types and later writes of a journal row are no events', async () => {
  const world = await openWorld()
  const { order, journal, tasks, lines } = await fileOf(world, await putPayingOrder(world))

  for (const row of [order, ...tasks, ...lines]) expect(readJournal(asRecord(row ?? {}))).toBeUndefined()
  expect(readJournal(asRecord(journal[0] ?? {}, 'MODIFY'))).toBeUndefined()
  expect(readJournal(asRecord(journal[0] ?? {}))).toBeDefined()
})

test('an event that the bus refused inside a 200 answer comes again, alone', async () => {
  const world = await openWorld()
  const { journal } = await fileOf(world, await putPayingOrder(world))
  bus
    .on(PutEventsCommand)
    .resolvesOnce({ Entries: [{ ErrorCode: 'ThrottlingException' }], FailedEntryCount: 1 })
    .resolves({ Entries: [{ EventId: 'e' }] })

  const result = await publish(journal.map((row, index) => asRecord(row, 'INSERT', String(index))))

  expect(result.batchItemFailures).toEqual([{ itemIdentifier: '0' }])
  expect(entries()).toHaveLength(2)
})

test('when the bus does not answer, every record comes again', async () => {
  const world = await openWorld()
  const { journal } = await fileOf(world, await putPayingOrder(world))
  bus.on(PutEventsCommand).rejects(new Error('no answer'))

  const result = await publish(journal.map((row, index) => asRecord(row, 'INSERT', String(index))))

  expect(result.batchItemFailures).toHaveLength(2)
})
