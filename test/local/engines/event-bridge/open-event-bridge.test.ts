import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateEventBusCommand,
  DescribeEventBusCommand,
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEventStore } from '../../../../local/engines/event-bridge/event-store.ts'
import { type EventBridge, openEventBridge } from '../../../../local/engines/event-bridge/open-event-bridge.ts'
import { serveEngine } from '../s3/serve-engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-events-'))
const clock = { now: () => Date.parse('2026-11-30T10:00:00.750Z'), onLeap: () => {} }
let events: EventBridge
let server: Awaited<ReturnType<typeof serveEngine>>
let client: EventBridgeClient

async function open(): Promise<void> {
  events = openEventBridge({ path: join(dir, 'events.sqlite'), clock })
  server = await serveEngine(events)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  client = new EventBridgeClient({ endpoint: server.url, region: 'us-east-1', credentials })
}
async function close(): Promise<void> {
  client.destroy()
  await server.close()
  events.close()
}

beforeAll(open)
afterAll(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

const put = (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries }))
const anEntry = (overrides: PutEventsRequestEntry = {}): PutEventsRequestEntry => ({
  Source: 'backstop',
  DetailType: 'order.paid',
  Detail: JSON.stringify({ v: 1, orderNo: 'O20261130' }),
  ...overrides,
})

it('an event is kept in the shape that a target gets', async () => {
  const heard: string[] = []
  events.onEvent(({ event }) => heard.push(event.id))
  const { Entries } = await put(anEntry({ Resources: ['ORDER#1'], Time: new Date('2026-11-29T00:00:00Z') }))
  await put(anEntry())

  const [second, first] = events.list({ detailType: 'order.paid', limit: 2 })

  expect(first).toMatchObject({
    bus: 'default',
    event: {
      version: '0',
      id: Entries?.[0]?.EventId,
      source: 'backstop',
      'detail-type': 'order.paid',
      account: '000000000000',
      region: 'us-east-1',
      time: '2026-11-29T00:00:00Z',
      resources: ['ORDER#1'],
      detail: { v: 1, orderNo: 'O20261130' },
    },
  })
  expect(second?.event.time).toBe('2026-11-30T10:00:00Z')
  expect(heard).toEqual([first?.event.id, second?.event.id])
})

it('bad entries fail one by one and the others are taken', async () => {
  const { FailedEntryCount, Entries } = await put(
    anEntry({ Detail: '{"cut' }),
    anEntry({ DetailType: 'order.closed' }),
    anEntry({ Detail: '[]' }),
    anEntry({ Source: 'aws.s3' }),
    anEntry({ EventBusName: 'nowhere' }),
    { DetailType: 'order.paid', Detail: '{}' },
  )

  expect(FailedEntryCount).toBe(5)
  expect(Entries?.map((entry) => entry.ErrorCode ?? 'taken')).toEqual([
    'MalformedDetail',
    'taken',
    'MalformedDetail',
    'NotAuthorizedForSourceException',
    'ResourceNotFoundException',
    'InvalidArgument',
  ])
  expect(events.list({ detailType: 'order.closed', limit: 10 })).toHaveLength(1)
})

it('eleven entries are refused as a whole', async () => {
  const call = put(...Array.from({ length: 11 }, () => anEntry({ DetailType: 'order.eleven' })))

  await expect(call).rejects.toMatchObject({ name: 'ValidationException' })
  expect(events.list({ detailType: 'order.eleven', limit: 1 })).toEqual([])
})

it.each([
  [1_048_575, 'taken'],
  [1_048_576, 'ValidationException'],
])('a call of %i bytes is %s', async (totalBytes, outcome) => {
  const overhead = '{"pad":""}'.length + 'backstop'.length + 'order.big'.length
  const Detail = JSON.stringify({ pad: 'x'.repeat(totalBytes - overhead) })

  const result = await put(anEntry({ DetailType: 'order.big', Detail })).then(
    () => 'taken',
    (error) => error.name,
  )

  expect(result).toBe(outcome)
})

it('a bus is made once and is addressed by name or ARN', async () => {
  const { EventBusArn } = await client.send(new CreateEventBusCommand({ Name: 'orders' }))
  const again = await client.send(new CreateEventBusCommand({ Name: 'orders' })).catch((error) => error.name)
  await put(anEntry({ EventBusName: 'orders' }), anEntry({ EventBusName: EventBusArn }))

  expect(again).toBe('ResourceAlreadyExistsException')
  await expect(client.send(new DescribeEventBusCommand({ Name: 'orders' }))).resolves.toMatchObject({
    Arn: EventBusArn,
  })
  await expect(client.send(new DescribeEventBusCommand({ Name: 'x' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
  expect(events.list({ limit: 2 }).map(({ bus }) => bus)).toEqual(['orders', 'orders'])
})

it('events and buses outlive a restart', async () => {
  events.createBus('kept')
  await put(anEntry({ DetailType: 'order.kept', EventBusName: 'kept' }))
  await close()
  await open()

  expect(events.list({ detailType: 'order.kept', limit: 10 })).toHaveLength(1)
  expect((await put(anEntry({ EventBusName: 'kept' }))).FailedEntryCount).toBe(0)
})

it('a bus that is told to be down or to refuse takes nothing until it is told otherwise', async () => {
  const entry = anEntry({ DetailType: 'order.untold' })
  events.setMode('refusing')
  const refused = await put(entry)
  events.setMode('down')
  await expect(put(entry)).rejects.toThrow('The bus is told to be down.')
  events.setMode('ok')

  await put(entry)

  expect(refused).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] })
  expect(events.list({ detailType: 'order.untold', limit: 10 })).toHaveLength(1)
})

it('only the newest events are kept', () => {
  const store = openEventStore(join(dir, 'small.sqlite'), 3)
  const event = {
    version: '0' as const,
    source: 'backstop',
    'detail-type': 'order.paid',
    account: '0',
    time: '2026-11-30T10:00:00Z',
    region: 'us-east-1',
    resources: [],
    detail: {},
  }

  for (const id of ['1', '2', '3', '4', '5']) store.add([{ bus: 'default', event: { ...event, id } }])

  expect(store.newest(undefined, 10).map((kept) => kept.event.id)).toEqual(['5', '4', '3'])
  store.close()
})
