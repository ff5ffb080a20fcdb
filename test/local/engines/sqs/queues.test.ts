import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  PurgeQueueInProgress,
  QueueDoesNotExist,
  QueueNameExists,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from './start-sqs.ts'

let sqs: Awaited<ReturnType<typeof startSqs>>

beforeEach(async () => {
  sqs = await startSqs()
})
afterEach(() => sqs.stop())

it('creating a queue again with the same attributes gives the same queue, with others a refusal', async () => {
  const create = (DelaySeconds: string) =>
    sqs.client.send(new CreateQueueCommand({ QueueName: 'q', Attributes: { DelaySeconds } }))
  const first = await create('5')

  const second = await create('5')

  expect(first.QueueUrl).toBe(sqs.urlOf('q'))
  expect(second).toMatchObject({ QueueUrl: first.QueueUrl })
  await expect(create('6')).rejects.toBeInstanceOf(QueueNameExists)
})

it('the host brings an existing queue to the attributes of a changed template', async () => {
  await sqs.engine.createQueue('q', { VisibilityTimeout: 30, DelaySeconds: 5 })

  const { url } = await sqs.engine.createQueue('q', { VisibilityTimeout: 120 })

  const { Attributes } = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['VisibilityTimeout', 'DelaySeconds', 'QueueArn'] }),
  )
  expect(Attributes).toEqual({
    VisibilityTimeout: '120',
    DelaySeconds: '0',
    QueueArn: 'arn:aws:sqs:us-east-1:000000000000:q',
  })
})

it('attributes show defaults, settings and counts', async () => {
  const { url: QueueUrl } = await sqs.engine.createQueue('q')
  await sqs.client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: '1' } }))
  await sqs.engine.send('q', { body: 'now', delayS: 0 })
  await sqs.engine.send('q', { body: 'later' })

  const { Attributes } = await sqs.client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))

  expect(Attributes).toMatchObject({
    DelaySeconds: '1',
    VisibilityTimeout: '30',
    MaximumMessageSize: '1048576',
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesDelayed: '1',
    ApproximateNumberOfMessagesNotVisible: '0',
  })
})

it('queues are listed by prefix, page by page', async () => {
  for (const name of ['b-1', 'a-2', 'a-1', 'a-3']) await sqs.engine.createQueue(name)

  const first = await sqs.client.send(new ListQueuesCommand({ QueueNamePrefix: 'a-', MaxResults: 2 }))
  const second = await sqs.client.send(
    new ListQueuesCommand({ QueueNamePrefix: 'a-', MaxResults: 2, NextToken: first.NextToken }),
  )

  expect(first.QueueUrls).toEqual([sqs.urlOf('a-1'), sqs.urlOf('a-2')])
  expect(second.QueueUrls).toEqual([sqs.urlOf('a-3')])
  expect(second.NextToken).toBeUndefined()
})

it('a dead-letter queue knows its sources', async () => {
  const { arn, url } = await sqs.engine.createQueue('dead')
  await sqs.engine.createQueue('source', { RedrivePolicy: { deadLetterTargetArn: arn, maxReceiveCount: 5 } })

  const { queueUrls } = await sqs.client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: url }))

  expect(queueUrls).toEqual([sqs.urlOf('source')])
})

it('a purge empties a queue, and the next one has to wait a minute', async () => {
  const { url: QueueUrl } = await sqs.engine.createQueue('q')
  await sqs.engine.send('q', { body: 'x' })
  await sqs.engine.send('q', { body: 'y', delayS: 60 })
  const purge = () => sqs.client.send(new PurgeQueueCommand({ QueueUrl }))

  await purge()

  expect(sqs.engine.counts('q')).toEqual({ visible: 0, inFlight: 0, delayed: 0 })
  expect(sqs.engine.nextDueAt()).toBeUndefined()
  await expect(purge()).rejects.toBeInstanceOf(PurgeQueueInProgress)
  sqs.clock.leap(60_000)
  await expect(purge()).resolves.toBeDefined()
})

it('a deleted queue is gone, and its namesake starts empty', async () => {
  const { url: QueueUrl } = await sqs.engine.createQueue('q')
  await sqs.engine.send('q', { body: 'x' })

  await sqs.client.send(new DeleteQueueCommand({ QueueUrl }))

  await expect(sqs.client.send(new GetQueueUrlCommand({ QueueName: 'q' }))).rejects.toBeInstanceOf(QueueDoesNotExist)
  await sqs.engine.createQueue('q')
  expect(sqs.engine.counts('q').visible).toBe(0)
})

it('a redrive policy needs an existing dead-letter queue', async () => {
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:no',
    maxReceiveCount: 3,
  })

  const creating = sqs.client.send(new CreateQueueCommand({ QueueName: 'q', Attributes: { RedrivePolicy } }))

  await expect(creating).rejects.toThrow(/Dead letter target does not exist/)
})
