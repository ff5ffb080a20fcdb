import {
  BatchEntryIdsNotDistinct,
  BatchRequestTooLong,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  EmptyBatchRequest,
  InvalidAttributeName,
  InvalidBatchEntryId,
  InvalidMessageContents,
  MessageNotInflight,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TooManyEntriesInBatchRequest,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSqs } from './start-sqs.ts'

let sqs: Awaited<ReturnType<typeof startSqs>>
let QueueUrl: string

beforeAll(async () => {
  sqs = await startSqs()
  QueueUrl = (await sqs.engine.createQueue('tasks')).url
  await sqs.engine.createQueue('other')
})
afterAll(() => sqs.stop())

const entries = (count: number, body = 'x') =>
  Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: body }))

it('an unknown queue is QueueDoesNotExist, with the code of the older protocol beside it', async () => {
  const sending = sqs.client.send(new SendMessageCommand({ QueueUrl: sqs.urlOf('nowhere'), MessageBody: 'x' }))

  const error: unknown = await sending.catch((reason: unknown) => reason)

  expect(error).toBeInstanceOf(QueueDoesNotExist)
  expect(error).toMatchObject({
    name: 'QueueDoesNotExist',
    Code: 'AWS.SimpleQueueService.NonExistentQueue',
    message: 'The specified queue does not exist.',
  })
})

describe('a batch as a whole is refused', () => {
  it.each([
    ['when it is empty', [], EmptyBatchRequest],
    ['above ten entries', entries(11), TooManyEntriesInBatchRequest],
    ['when two entries share an id', [...entries(1), ...entries(1)], BatchEntryIdsNotDistinct],
    ['when an id has other characters', [{ Id: 'a b', MessageBody: 'x' }], InvalidBatchEntryId],
    ['above 1 MiB in sum', entries(2, 'x'.repeat(600_000)), BatchRequestTooLong],
  ])('%s', async (_title, Entries, expected) => {
    const sending = sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))

    await expect(sending).rejects.toBeInstanceOf(expected)
  })
})

it('a body of exactly 1 MiB is taken, one byte more is not', async () => {
  const body = 'x'.repeat(1_048_576)

  const sent = await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
  const refused = sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: `${body}x` }))

  expect(sent.MessageId).toBeDefined()
  await expect(refused).rejects.toThrow(/shorter than 1048576 bytes/)
})

it('attributes count towards the size', async () => {
  const sending = sqs.client.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'x'.repeat(1_048_570),
      MessageAttributes: { a: { DataType: 'String', StringValue: 'value' } },
    }),
  )

  await expect(sending).rejects.toThrow(/shorter than/)
})

it('control characters in a body are InvalidMessageContents', async () => {
  const sending = sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a\u0000b' }))

  await expect(sending).rejects.toBeInstanceOf(InvalidMessageContents)
})

it('an empty body is a missing parameter', async () => {
  const sending = sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: '' }))

  await expect(sending).rejects.toThrow(/must contain the parameter MessageBody/)
})

it('a receipt handle that this queue did not give out is ReceiptHandleIsInvalid', async () => {
  await sqs.engine.send('other', { body: 'x' })
  const [message] = await sqs.engine.receive('other', { max: 1, waitMs: 0 })

  for (const ReceiptHandle of ['garbage', message?.receiptHandle]) {
    const deleting = sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    await expect(deleting).rejects.toBeInstanceOf(ReceiptHandleIsInvalid)
  }
})

it('the visibility of a message that is out no longer cannot be changed', async () => {
  const { url } = await sqs.engine.createQueue('short', { VisibilityTimeout: 1 })
  await sqs.engine.send('short', { body: 'x' })
  const [message] = await sqs.engine.receive('short', { max: 1, waitMs: 0 })
  sqs.clock.leap(1_000)

  const changing = sqs.client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: url,
      ReceiptHandle: message?.receiptHandle,
      VisibilityTimeout: 5,
    }),
  )

  await expect(changing).rejects.toBeInstanceOf(MessageNotInflight)
})

it('more than ten messages per receive are refused', async () => {
  const receiving = sqs.client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 }))

  await expect(receiving).rejects.toMatchObject({ Code: 'InvalidParameterValue' })
})

it('an attribute that queues do not have is InvalidAttributeName', async () => {
  const Attributes: Record<string, string> = { Colour: 'red' }

  const setting = sqs.client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))

  await expect(setting).rejects.toBeInstanceOf(InvalidAttributeName)
})

it('an operation that this machine does not serve says so', async () => {
  const { AddPermissionCommand } = await import('@aws-sdk/client-sqs')
  const command = new AddPermissionCommand({ QueueUrl, Label: 'l', AWSAccountIds: ['1'], Actions: ['*'] })

  await expect(sqs.client.send(command)).rejects.toThrow(/is not valid for the queues of this machine/)
})
