import { ListMessageMoveTasksCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from './start-sqs.ts'

let sqs: Awaited<ReturnType<typeof startSqs>>
let deadLetterArn: string

beforeEach(async () => {
  sqs = await startSqs()
  deadLetterArn = (await sqs.engine.createQueue('dead', { MessageRetentionPeriod: 1_209_600 })).arn
  await sqs.engine.createQueue('tasks', {
    VisibilityTimeout: 10,
    MessageRetentionPeriod: 345_600,
    RedrivePolicy: { deadLetterTargetArn: deadLetterArn, maxReceiveCount: 2 },
  })
})
afterEach(() => sqs.stop())

async function failTwice(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })
    sqs.clock.leap(10_000)
  }
}

it('a message received maxReceiveCount times goes to the dead-letter queue with its sent time', async () => {
  const { messageId } = await sqs.engine.send('tasks', { body: 'poison' })
  const sentBefore = sqs.clock.now()
  await failTwice()

  const received = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })
  const [dead] = await sqs.engine.receive('dead', { max: 10, waitMs: 0 })

  expect(received).toEqual([])
  expect(dead?.messageId).toBe(messageId)
  expect(Number(dead?.attributes['SentTimestamp'])).toBeLessThanOrEqual(sentBefore)
  expect(dead?.attributes['DeadLetterQueueSourceArn']).toBe('arn:aws:sqs:us-east-1:000000000000:tasks')
})

it('a receiver waiting at the dead-letter queue gets the message', async () => {
  await sqs.engine.send('tasks', { body: 'poison' })
  const waiting = sqs.engine.receive('dead', { max: 1, waitMs: 20_000 })
  await failTwice()

  await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  expect((await waiting)[0]?.body).toBe('poison')
})

it('retention counts from the first send, also in the dead-letter queue', async () => {
  await sqs.engine.send('tasks', { body: 'poison' })
  sqs.clock.leap(3 * 86_400_000)
  await failTwice()
  await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  sqs.clock.leap(10 * 86_400_000)
  const before = sqs.engine.counts('dead').visible
  sqs.clock.leap(86_400_000)

  expect([before, sqs.engine.counts('dead').visible]).toEqual([1, 0])
})

it('a message older than the retention period is gone, and a younger one is not', async () => {
  await sqs.engine.send('tasks', { body: 'old' })
  sqs.clock.leap(345_000_000)
  await sqs.engine.send('tasks', { body: 'young' })
  sqs.clock.leap(1_000_000)

  const messages = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  expect(messages.map(({ body }) => body)).toEqual(['young'])
})

it('a move task brings messages back to their source as new messages', async () => {
  const { messageId } = await sqs.engine.send('tasks', { body: 'repaired' })
  await failTwice()
  await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  await sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetterArn }))
  const [message] = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })
  const { Results } = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetterArn }))

  expect(message?.body).toBe('repaired')
  expect(message?.attributes['ApproximateReceiveCount']).toBe('1')
  expect(message?.messageId).not.toBe(messageId)
  expect(sqs.engine.counts('dead').visible).toBe(0)
  expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }])
})

it('a message that was sent straight to the dead-letter queue needs a destination to move', async () => {
  await sqs.engine.send('dead', { body: 'of unknown origin' })

  await sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetterArn }))
  const { Results } = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetterArn }))
  const left = sqs.engine.counts('dead').visible
  const DestinationArn = 'arn:aws:sqs:us-east-1:000000000000:tasks'
  await sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetterArn, DestinationArn }))

  expect(Results).toMatchObject([{ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' }])
  expect(left).toBe(1)
  expect(sqs.engine.counts('tasks').visible).toBe(1)
})

it('a queue that nothing redrives to has no move task', async () => {
  const SourceArn = 'arn:aws:sqs:us-east-1:000000000000:tasks'

  const starting = sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn }))

  await expect(starting).rejects.toThrow(/must be configured as a Dead Letter Queue/)
})
