import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { ScheduledEvent } from 'aws-lambda'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import { aContext } from '../support/context.ts'
import { openClient, openTestLedger } from '../support/ledger.ts'

const { endpoint, ledger, table } = await openTestLedger()
const context = aContext('sweep')
const event: ScheduledEvent = Object.create(null)
const GATE_TABLE = 'Gate'
const client: { gate?: DynamoDBDocumentClient } = {}
let written = ''

beforeAll(async () => {
  const plain = openClient(endpoint)
  await ensureTable(plain, GATE_TABLE, {
    KeySchema: [{ AttributeName: 'lane', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'lane', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  })
  client.gate = DynamoDBDocumentClient.from(plain)
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    LEDGER_TABLE: table,
    POLICIES: '{}',
    GATE_TABLE,
    GATED_LANES: '["alipay","merchant","quiet"]',
  })
})
beforeEach(() => {
  written = ''
  vi.resetModules()
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk)
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

async function sweep(): Promise<readonly string[]> {
  const { handler } = await import('../../functions/sweep/handler.ts')
  await handler(event, context)
  return [...written.matchAll(/"Name":"(\w+)"/g)].map(([, name = '']) => name)
}

it('a round that saw everything gives its heartbeat and no failure', async () => {
  expect(await sweep()).toEqual(['SweepHeartbeat'])
})

it('each lane that was ever used tells its rate and whether its gate is open; the others tell nothing', async () => {
  await putGate({ lane: 'alipay', intervalMs: 40, state: 'PASSING' })
  await putGate({ lane: 'merchant', intervalMs: 1000, state: 'STOPPED' })

  await sweep()

  const gates = written
    .split('\n')
    .filter((line) => line.includes('Gate'))
    .map((line) => JSON.parse(line))
    .map(({ lane, GateRate, GateStopped }) => ({ lane, GateRate, GateStopped }))
  expect(gates.toSorted((a, b) => String(a.lane).localeCompare(String(b.lane)))).toEqual([
    { lane: 'alipay', GateRate: 25 },
    { lane: 'alipay', GateStopped: 0 },
    { lane: 'merchant', GateRate: 1 },
    { lane: 'merchant', GateStopped: 1 },
  ])
})

it('gates that cannot be read are logged and do not silence the heartbeat', async () => {
  await putGate({ lane: 'quiet', intervalMs: 'not a number', state: 'PASSING' })

  expect(await sweep()).toContain('SweepHeartbeat')
  expect(written).toContain('The gates could not be read')
})

it('a round that time was too short for gives no heartbeat and says so; the one that ends it gives one', async () => {
  const rows = Array.from({ length: 101 }, (_, index) => ({
    pk: `FUTURE#${index}`,
    sk: 'ROW',
    et: 'FUTURE',
    duePk: 'D#03',
    dueAt: '2020-01-01T00:00:00.000Z',
  }))
  for (const Item of rows) await ledger.client.send(new PutCommand({ TableName: table, Item }))
  const { handler } = await import('../../functions/sweep/handler.ts')

  await handler(
    event,
    aContext('sweep', () => 9_000),
  )
  const first = written
  written = ''
  await handler(
    event,
    aContext('sweep', () => 9_000),
  )

  expect(first).toContain('"SweepUnfinished":1')
  expect(first).not.toContain('SweepHeartbeat')
  expect(written).toContain('"SweepHeartbeat":1')
})

it('a round that could not look gives no heartbeat, so that its absence rings', async () => {
  process.env['LEDGER_TABLE'] = 'no-such-table'

  expect(await sweep()).toContain('SweepFailed')
  expect(written).not.toContain('SweepHeartbeat')
})

async function putGate(row: Readonly<Record<string, unknown>>): Promise<void> {
  const rest = { tat: 0, liveTat: 0, epoch: 1, windowAt: 0, calls: 0, failures: 0, openUntil: 0, probes: 0, reason: '' }
  await client.gate?.send(new PutCommand({ TableName: GATE_TABLE, Item: { ...rest, ...row } }))
}
