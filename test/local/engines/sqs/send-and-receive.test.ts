import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from './start-sqs.ts'

let sqs: Awaited<ReturnType<typeof startSqs>>
let QueueUrl: string

beforeEach(async () => {
  sqs = await startSqs()
  QueueUrl = (await sqs.engine.createQueue('tasks', { VisibilityTimeout: 30 })).url
})
afterEach(() => sqs.stop())

it('a message arrives with its attributes, and the SDK accepts its digests', async () => {
  await sqs.client.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'grüß 支付',
      MessageGroupId: 'alipay',
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'a' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2, 255]) },
      },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1' } },
    }),
  )

  const { Messages } = await sqs.client.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] }),
  )

  const [message] = Messages ?? []
  expect(message?.Body).toBe('grüß 支付')
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: '1',
    MessageGroupId: 'alipay',
    AWSTraceHeader: 'Root=1',
  })
  expect(message?.MessageAttributes?.['bytes']?.BinaryValue).toEqual(new Uint8Array([1, 2, 255]))
  // Computed by hand after the guide's algorithm, once, with another program.
  expect(message?.MD5OfMessageAttributes).toBe('f2f55ad22a3dae56468923c29e7f3dab')
})

it('only the message attributes that were asked for are shown', async () => {
  const attribute = { DataType: 'String', StringValue: 'v' }
  await sqs.client.send(
    new SendMessageCommand({ QueueUrl, MessageBody: 'b', MessageAttributes: { 'a.x': attribute, b: attribute } }),
  )

  const { Messages } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ['a.*'] }))

  expect(Object.keys(Messages?.[0]?.MessageAttributes ?? {})).toEqual(['a.x'])
  expect(Messages?.[0]?.Attributes).toBeUndefined()
})

it('a received message is invisible until its time-out, then comes again with a higher count', async () => {
  await sqs.engine.send('tasks', { body: 'once more' })
  const first = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })
  const meanwhile = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  sqs.clock.leap(30_000)
  const second = await sqs.engine.receive('tasks', { max: 10, waitMs: 0 })

  expect(meanwhile).toEqual([])
  expect(second[0]?.messageId).toBe(first[0]?.messageId)
  expect(second[0]?.attributes['ApproximateReceiveCount']).toBe('2')
  expect(second[0]?.attributes['ApproximateFirstReceiveTimestamp']).toBe(
    first[0]?.attributes['ApproximateFirstReceiveTimestamp'],
  )
})

it('a deleted message does not come again', async () => {
  await sqs.engine.send('tasks', { body: 'done' })
  const { Messages } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl }))
  await sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages?.[0]?.ReceiptHandle }))

  sqs.clock.leap(60_000)

  expect(sqs.engine.counts('tasks')).toEqual({ visible: 0, inFlight: 0, delayed: 0 })
})

it('the handle of an earlier receive deletes nothing', async () => {
  await sqs.engine.send('tasks', { body: 'slow consumer' })
  const [first] = await sqs.engine.receive('tasks', { max: 1, waitMs: 0 })
  sqs.clock.leap(30_000)
  await sqs.engine.receive('tasks', { max: 1, waitMs: 0 })

  await sqs.engine.remove('tasks', [first?.receiptHandle ?? ''])

  expect(sqs.engine.counts('tasks').inFlight).toBe(1)
})

it('a changed visibility counts from the moment of the change', async () => {
  await sqs.engine.send('tasks', { body: 'longer' })
  const { Messages } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl }))
  const ReceiptHandle = Messages?.[0]?.ReceiptHandle

  await sqs.client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 600 }))
  sqs.clock.leap(599_000)
  const before = sqs.engine.hasVisible('tasks')
  sqs.clock.leap(1_000)

  expect([before, sqs.engine.hasVisible('tasks')]).toEqual([false, true])
})

it('a visibility of 0 gives the message back at once', async () => {
  await sqs.engine.send('tasks', { body: 'not mine' })
  const [message] = await sqs.engine.receive('tasks', { max: 1, waitMs: 0 })

  await sqs.engine.changeVisibility('tasks', message?.receiptHandle ?? '', 0)

  expect(sqs.engine.counts('tasks')).toEqual({ visible: 1, inFlight: 0, delayed: 0 })
})

it('receiving with a time-out of 0 takes each message once per call', async () => {
  await sqs.engine.send('tasks', { body: 'peeked' })

  const messages = await sqs.engine.receive('tasks', { max: 10, waitMs: 0, visibilityTimeoutS: 0 })

  expect(messages).toHaveLength(1)
  expect(sqs.engine.hasVisible()).toBe(true)
})

it('a delayed message is due later, and visible when its delay is over', async () => {
  await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }))
  const counts = sqs.engine.counts('tasks')
  const dueInMs = (sqs.engine.nextDueAt() ?? 0) - sqs.clock.now()

  sqs.clock.leap(900_000)

  expect(counts).toEqual({ visible: 0, inFlight: 0, delayed: 1 })
  expect(dueInMs).toBeGreaterThan(800_000)
  expect(sqs.engine.counts('tasks').visible).toBe(1)
  expect(sqs.engine.nextDueAt()).toBeUndefined()
})

it('a batch of sends and a batch of deletes report each entry', async () => {
  const sent = await sqs.client.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'good', MessageBody: 'x' },
        { Id: 'bad', MessageBody: 'y', DelaySeconds: 901 },
      ],
    }),
  )
  const { Messages } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
  const removed = await sqs.client.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'known', ReceiptHandle: Messages?.[0]?.ReceiptHandle },
        { Id: 'garbage', ReceiptHandle: 'garbage' },
      ],
    }),
  )

  expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['good'])
  expect(sent.Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'InvalidParameterValue' }])
  expect(removed.Successful?.map(({ Id }) => Id)).toEqual(['known'])
  expect(removed.Failed).toMatchObject([{ Id: 'garbage', Code: 'ReceiptHandleIsInvalid' }])
})

it('a quiet group is served second behind a hundred messages of a noisy one', async () => {
  for (let i = 0; i < 100; i++) await sqs.engine.send('tasks', { body: `noisy ${i}`, groupId: 'noisy' })
  await sqs.engine.send('tasks', { body: 'quiet', groupId: 'quiet' })

  const messages = await sqs.engine.receive('tasks', { max: 3, waitMs: 0 })

  expect(messages.map(({ body }) => body)).toEqual(['noisy 0', 'quiet', 'noisy 1'])
})
