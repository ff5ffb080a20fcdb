import { afterEach, describe, expect, it } from 'vitest'
import type { StreamReader, StreamRecord } from '../../../../local/engines/dynamodb/open-stream.ts'
import { realClock } from '../../../../local/host/clock/clock.ts'
import { watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { type StreamPoller, startStreamPoller } from '../../../../local/host/runtime/stream-poller.ts'
import type { Json } from '../../../../local/host/template/json.ts'
import type { StreamMappingSpec } from '../../../../local/host/template/read-mappings.ts'
import { fakePool } from './fake-pool.ts'

let poller: StreamPoller | undefined
afterEach(() => poller?.close())

const record = (no: number, ageMs = 0): StreamRecord => ({
  eventID: String(no),
  eventName: 'INSERT',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: 'us-east-1',
  eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/local',
  dynamodb: {
    ApproximateCreationDateTime: Math.floor((Date.now() - ageMs) / 1_000),
    Keys: { pk: { S: `k${no}` } },
    NewImage: { pk: { S: `k${no}` } },
    SequenceNumber: `0000${no}`,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
})

/** A stream that is an array; `position` is what a restart would begin at. */
function openArray(records: StreamRecord[]): StreamReader & { position: number } {
  let read = 0
  let wake = () => {}
  return {
    position: 0,
    async read(max) {
      const page = records.slice(this.position, this.position + max)
      read = page.length
      return page
    },
    commit(upTo) {
      const at = records.findIndex((one) => one.dynamodb.SequenceNumber === upTo)
      this.position = upTo === undefined ? this.position + read : at + 1
    },
    shardId: () => 'shardId-1',
    async hasUnread() {
      return this.position < records.length
    },
    poke: () => wake(),
    wait: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
    close: () => {},
  }
}

async function run(
  records: StreamRecord[],
  answer: (keys: string[]) => Json | Error,
  change: Partial<StreamMappingSpec> = {},
) {
  const reader = openArray(records)
  const pool = fakePool((event) => answer(keysIn(event)))
  const losses: Json[] = []
  poller = startStreamPoller({
    mapping: {
      kind: 'stream',
      logicalId: 'Mapping',
      streamArn: 'arn',
      functionName: 'fn',
      batchSize: 4,
      windowMs: 0,
      reportsItemFailures: true,
      filters: [],
      bisectsOnError: false,
      maxRetries: 1,
      onFailureArn: 'arn:losses',
      ...change,
    },
    reader,
    pool,
    offsetMs: () => 0,
    sendFailure: async (_arn, loss) => {
      losses.push(loss)
    },
  })
  const idleness = watchIdleness(realClock)
  const running = poller
  idleness.add({ isBusy: () => running.busy(), hasUnread: () => reader.hasUnread() })
  await idleness.idle()
  return { batches: pool.events.map(keysIn), events: pool.events, losses, position: reader.position }
}
const keysIn = (event: Json): string[] => {
  const records: StreamRecord[] = JSON.parse(JSON.stringify(event)).Records
  return records.map((one) => one.dynamodb.Keys?.['pk']?.S ?? '')
}
const five = [1, 2, 3, 4, 5].map((no) => record(no))

describe('a stream with a function behind it', () => {
  it('hands over its records in order, batch by batch', async () => {
    const { batches, position } = await run(five, () => null)

    expect(batches).toEqual([['k1', 'k2', 'k3', 'k4'], ['k5']])
    expect(position).toBe(5)
  })

  it('goes on from the first record that the function reports as failed', async () => {
    let failures = 1
    const { batches, losses } = await run(five, (keys) => {
      if (!keys.includes('k3') || failures-- <= 0) return { batchItemFailures: [] }
      return { batchItemFailures: [{ itemIdentifier: '00004' }, { itemIdentifier: '00003' }] }
    })

    expect(batches).toEqual([['k1', 'k2', 'k3', 'k4'], ['k3', 'k4'], ['k5']])
    expect(losses).toEqual([])
  })

  it('gives a batch up after its retries, tells where, and goes on behind it', async () => {
    const { batches, losses, position } = await run(five, (keys) => (keys.includes('k2') ? new Error('no') : null))

    expect(batches).toEqual([['k1', 'k2', 'k3', 'k4'], ['k1', 'k2', 'k3', 'k4'], ['k5']])
    expect(losses).toMatchObject([
      {
        requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 2 },
        DDBStreamBatchInfo: {
          shardId: 'shardId-1',
          startSequenceNumber: '00001',
          endSequenceNumber: '00004',
          batchSize: 4,
        },
      },
    ])
    expect(position).toBe(5)
  })

  it('splits a failing batch until only the bad record is given up', async () => {
    const { batches, losses } = await run(five, (keys) => (keys.includes('k2') ? new Error('no') : null), {
      bisectsOnError: true,
    })

    expect(batches).toEqual([['k1', 'k2', 'k3', 'k4'], ['k1', 'k2'], ['k1'], ['k2'], ['k2'], ['k3', 'k4'], ['k5']])
    expect(losses).toMatchObject([{ DDBStreamBatchInfo: { startSequenceNumber: '00002', batchSize: 1 } }])
  })

  it('repeats the whole batch after an answer that Lambda does not accept', async () => {
    let answers = 0
    const { batches } = await run([record(1), record(2)], () => {
      answers += 1
      return answers === 1 ? { batchItemFailures: [{ itemIdentifier: 'other' }] } : null
    })

    expect(batches).toEqual([
      ['k1', 'k2'],
      ['k1', 'k2'],
    ])
  })

  it('hands over only what a filter wants, and moves on over the rest', async () => {
    const filters = [{ dynamodb: { NewImage: { pk: { S: ['k2', 'k5'] } } } }]
    const { batches, position } = await run(five, () => null, { filters })

    expect(batches).toEqual([['k2'], ['k5']])
    expect(position).toBe(5)
  })

  it('gives up records that are too old without calling the function', async () => {
    const { batches, losses } = await run([record(1, 120_000), record(2)], () => null, { maxAgeMs: 60_000 })

    expect(batches).toEqual([['k2']])
    expect(losses).toMatchObject([{ requestContext: { condition: 'RecordAgeExceeded' } }])
  })
})
