import type { Context, ScheduledEvent } from 'aws-lambda'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestLedger } from '../support/ledger.ts'

const context: Context = Object.assign(Object.create(null), { getRemainingTimeInMillis: () => 60_000 })
const event: ScheduledEvent = Object.create(null)
let written = ''

beforeAll(async () => {
  const { endpoint, table } = await openTestLedger()
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    LEDGER_TABLE: table,
    POLICIES: '{}',
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

test('a round that saw everything gives its heartbeat and no failure', async () => {
  expect(await sweep()).toEqual(['SweepHeartbeat'])
})

test('a round that could not look gives no heartbeat, so that its absence rings', async () => {
  process.env['LEDGER_TABLE'] = 'no-such-table'

  expect(await sweep()).toEqual(['SweepFailed'])
})
