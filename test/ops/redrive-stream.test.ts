import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStreamApi } from '../../local/engines/dynamodb/stream-api.ts'
import { openStreams, StreamsError } from '../../ops/call-streams.ts'
import type { OpsDeps } from '../../ops/deps.ts'
import { startSqs } from '../local/engines/sqs/start-sqs.ts'
import { openClient, openTestLedger } from '../support/ledger.ts'
import { fileOf, putPayingOrder } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { depsFor, NOW, runCommand } from './setup.ts'

const { ledger, endpoint, table } = await openTestLedger()
const api = openStreamApi(endpoint, { accessKeyId: 'local', region: 'us-east-1' })
let sqs: Awaited<ReturnType<typeof startSqs>>
let deps: OpsDeps

const QUEUES = ['publish-failures', 'dispatch-failures', 'other-failures']

beforeEach(async () => {
  sqs = await startSqs()
  for (const queue of QUEUES) await sqs.engine.createQueue(queue, { MessageRetentionPeriod: 1_209_600 })
  deps = depsFor(ledger, 'bank-x', {
    sqs: sqs.client,
    streams: openStreams(openClient(endpoint)),
    outputs: {
      DeadLettersPublishReaderFailures: sqs.urlOf('publish-failures'),
      DeadLettersDispatchReaderFailures: sqs.urlOf('dispatch-failures'),
      DeadLettersOther: sqs.urlOf('other-failures'),
    },
  })
})
afterEach(() => sqs.stop())

/** All that the stream holds now, as Lambda numbers it. */
async function readNumbers() {
  const shard = await api.findShard(table)
  const { records } = await api.page(await api.iterate(shard, undefined), 1000)
  return { shard, numbers: records.map(({ dynamodb }) => dynamodb.SequenceNumber) }
}

/** The note that Lambda leaves of what it gave up since the stream held so many records. */
async function giveUp(queue: string, since: number, change: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { shard, numbers } = await readNumbers()
  const batch = {
    shardId: shard.shardId,
    startSequenceNumber: numbers[since],
    endSequenceNumber: numbers.at(-1),
    approximateArrivalOfFirstRecord: '2026-03-01T01:00:00Z',
    approximateArrivalOfLastRecord: '2026-03-01T01:00:09Z',
    batchSize: numbers.length - since,
    streamArn: shard.streamArn,
    ...change,
  }
  const note = { version: '1.0', requestContext: { condition: 'RecordAgeExceeded' }, DDBStreamBatchInfo: batch }
  await sqs.client.send(new SendMessageCommand({ QueueUrl: sqs.urlOf(queue), MessageBody: JSON.stringify(note) }))
}

const visible = (queue: string) => sqs.engine.counts(queue).visible
const PUBLISH = 'PublishReaderFailures'

it('changes that publish gave up are marked as due now, and their message is deleted', async () => {
  const world = await openWorld()
  const since = (await readNumbers()).numbers.length
  const orderNo = await putPayingOrder(world)
  await giveUp('publish-failures', since)

  const { code, printed } = await runCommand(deps, 'redrive', PUBLISH)

  const { journal, order } = await fileOf(world, orderNo)
  expect(code).toBe(0)
  expect(printed[0]).toMatch(
    /^done +redrive .*: changes marked as due now, for the sweep to bring to the bus: 2 \(alice/,
  )
  expect(journal.map(({ dueAt, duePk }) => [dueAt, typeof duePk])).toEqual([
    [NOW, 'string'],
    [NOW, 'string'],
  ])
  expect(order?.rev).toBe(2)
  expect(visible('publish-failures')).toBe(0)
})

it('a dry run names the orders and changes neither rows nor queue', async () => {
  const world = await openWorld()
  const since = (await readNumbers()).numbers.length
  const orderNo = await putPayingOrder(world)
  await giveUp('publish-failures', since)
  const before = await fileOf(world, orderNo)

  const { code, printed } = await runCommand(deps, 'redrive', PUBLISH, '--dry-run')

  expect(code).toBe(0)
  expect(printed[0]).toMatch(
    new RegExp(`^would do redrive .*changes that would be marked as due now: 2, of ${orderNo}$`),
  )
  expect(await fileOf(world, orderNo)).toEqual(before)
  expect(visible('publish-failures')).toBe(1)
})

it('a redrive that died before it deleted its message marks no row twice', async () => {
  const world = await openWorld()
  const since = (await readNumbers()).numbers.length
  const orderNo = await putPayingOrder(world)
  await giveUp('publish-failures', since)
  await runCommand(deps, 'redrive', PUBLISH)
  const { journal } = await fileOf(world, orderNo)
  await giveUp('publish-failures', since)

  const { printed } = await runCommand(deps, 'redrive', PUBLISH)

  expect(printed[0]).toContain('for the sweep to bring to the bus: 0; marked before: 2')
  expect((await fileOf(world, orderNo)).journal).toEqual(journal)
  expect(visible('publish-failures')).toBe(0)
})

it('what the stream holds no more is refused, with the time that subscribers are to be told', async () => {
  await giveUp('publish-failures', 0, { startSequenceNumber: '0' })
  await giveUp('publish-failures', 0, { streamArn: 'arn:aws:dynamodb:us-east-1:0:table/Gone/stream/x' })
  const trimmed = async () => {
    throw new StreamsError('GetShardIterator', 'TrimmedDataAccessException', 'gone')
  }

  const dry = await runCommand(deps, 'redrive', PUBLISH, '--dry-run')
  const { code, printed } = await runCommand({ ...deps, streams: trimmed }, 'redrive', PUBLISH)

  expect(code).toBe(0)
  for (const line of [...dry.printed.slice(0, 2), ...printed.slice(0, 2)]) {
    expect(line).toMatch(/^refused .*the time from 2026-03-01T01:00:00Z to 2026-03-01T01:00:09Z, .* then delete the/)
  }
  expect(visible('publish-failures')).toBe(2)
})

it('a stream that does not answer fails and keeps its message', async () => {
  await giveUp('publish-failures', 0)
  const mute = async () => {
    throw new Error('no answer')
  }

  const { code, printed } = await runCommand({ ...deps, streams: mute }, 'redrive', PUBLISH)

  expect(code).toBe(1)
  expect(printed[0]).toMatch(/^failed .*no answer/)
  expect(visible('publish-failures')).toBe(1)
})

it('what dispatch gave up needs nothing but that its message goes: the sweep has its rows', async () => {
  await giveUp('dispatch-failures', 0)
  const dry = await runCommand(deps, 'redrive', 'DispatchReaderFailures', '--dry-run')
  const kept = visible('dispatch-failures')

  const { code, printed } = await runCommand(deps, 'redrive', 'DispatchReaderFailures')

  expect(dry.printed[0]).toMatch(/^would do .*the sweep wakes them by itself; the message would be deleted/)
  expect(kept).toBe(1)
  expect(code).toBe(0)
  expect(printed[0]).toMatch(/^skipped .*the sweep wakes them by itself; the message is deleted/)
  expect(visible('dispatch-failures')).toBe(0)
})

it('a piece of the stream in another queue is no reader`s, and stays', async () => {
  await giveUp('other-failures', 0)

  const { printed } = await runCommand(deps, 'redrive', 'Other')

  expect(printed[0]).toMatch(/^refused .*of no reader/)
  expect(visible('other-failures')).toBe(1)
})
