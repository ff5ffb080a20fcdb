import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqs, type SqsEngine } from '../../../../local/engines/sqs/open-sqs.ts'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { type Poller, startQueuePoller } from '../../../../local/host/runtime/queue-poller.ts'
import type { Json } from '../../../../local/host/template/json.ts'
import type { QueueMappingSpec } from '../../../../local/host/template/read-mappings.ts'
import { fakePool } from './fake-pool.ts'

const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
let sqs: SqsEngine
let poller: Poller | undefined

beforeEach(async () => {
  sqs = openSqs({ path: ':memory:', clock, urlBase: () => 'http://127.0.0.1' })
  await sqs.createQueue('queue', { VisibilityTimeout: 60 })
})
afterEach(async () => {
  await poller?.close()
  sqs.close()
})

/** Sends the messages, lets the function handle them, and tells what it saw and what is left. */
async function run(bodies: string[], answer: (event: Json) => Json | Error, change: Partial<QueueMappingSpec> = {}) {
  for (const body of bodies) {
    await sqs.send('queue', { body, messageAttributes: { kind: { DataType: 'String', StringValue: 'plain' } } })
  }
  const pool = fakePool(answer)
  poller = startQueuePoller({
    mapping: {
      kind: 'queue',
      logicalId: 'Mapping',
      queueArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
      functionName: 'fn',
      batchSize: 10,
      windowMs: 0,
      reportsItemFailures: true,
      filters: [],
      ...change,
    },
    sqs,
    pool,
    region: 'us-east-1',
    concurrency: 2,
  })
  const idleness = watchIdleness(clock)
  const running = poller
  idleness.add({ isBusy: () => running.busy() || sqs.hasVisible('queue') })
  await idleness.idle()
  return { events: pool.events, counts: sqs.counts('queue') }
}
const idsIn = (event: Json): string[] => {
  const records = JSON.parse(JSON.stringify(event)).Records
  return records.map((record: { messageId: string }) => record.messageId)
}

describe('a queue with a function behind it', () => {
  it('hands over its messages in a batch as Lambda shows them, and deletes what was handled', async () => {
    const { events, counts } = await run(['a', 'b'], () => null)

    expect(events[0]).toMatchObject({
      Records: [
        {
          body: 'a',
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue',
          awsRegion: 'us-east-1',
          attributes: { ApproximateReceiveCount: '1' },
          messageAttributes: { kind: { dataType: 'String', stringValue: 'plain' } },
          md5OfBody: '0cc175b9c0f1b6a831c399e269772661',
        },
        { body: 'b' },
      ],
    })
    expect(counts).toMatchObject({ visible: 0, inFlight: 0 })
  })

  it('keeps only the messages that the function reports as failed', async () => {
    const { counts } = await run(['a', 'b', 'c'], (event) => ({
      batchItemFailures: [{ itemIdentifier: idsIn(event)[1] ?? '' }],
    }))

    expect(counts).toMatchObject({ visible: 0, inFlight: 1 })
  })

  it.each<[string, Json | Error]>([
    ['throws', new Error('no')],
    ['names a message that is not in the batch', { batchItemFailures: [{ itemIdentifier: 'other' }] }],
    ['names no message', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['answers text', 'done'],
    ['has no list in its answer', { batchItemFailures: 'all' }],
  ])('keeps the whole batch when the function %s', async (_what, answer) => {
    const { counts } = await run(['a', 'b'], () => answer)

    expect(counts).toMatchObject({ visible: 0, inFlight: 2 })
  })

  it('gives a failed message again after its visibility time-out', async () => {
    const { events } = await run(['a'], () => new Error('no'))
    clock.leapTo(clock.now() + 61_000)
    const running = poller
    const idleness = watchIdleness(clock)
    idleness.add({ isBusy: () => running?.busy() === true || sqs.hasVisible('queue') || events.length < 2 })
    await idleness.idle()

    expect(events[1]).toMatchObject({ Records: [{ body: 'a', attributes: { ApproximateReceiveCount: '2' } }] })
  })

  it('ignores the answer when the mapping does not ask for failures', async () => {
    const { counts } = await run(
      ['a'],
      (event) => ({ batchItemFailures: [{ itemIdentifier: idsIn(event)[0] ?? '' }] }),
      {
        reportsItemFailures: false,
      },
    )

    expect(counts).toMatchObject({ visible: 0, inFlight: 0 })
  })

  it('deletes what no filter wants, and hands over the rest', async () => {
    const bodies = ['{"lane":"stripe"}', '{"lane":"alipay"}', 'not json']
    const { events, counts } = await run(bodies, () => null, { filters: [{ body: { lane: ['alipay'] } }] })

    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ Records: [{ body: '{"lane":"alipay"}' }] })
    expect(counts).toMatchObject({ visible: 0, inFlight: 0 })
  })
})
