import type { Broker } from '../broker.ts'
import { SqsError } from '../errors.ts'
import { receiveMessages } from '../long-poll.ts'
import { digestAttributes, digestText } from '../md5.ts'
import type { MessageAttribute, OutgoingMessage, ReceivedMessage } from '../message.ts'
import type { Queue } from '../queue.ts'
import { checkMessage, measureMessage } from './check-message.ts'
import type { Fields } from './fields.ts'
import type { Operation } from './operation.ts'
import { readMessage } from './read-message.ts'
import { readEntries, runBatch } from './run-batch.ts'

const maxBatchBytes = 1_048_576
const maxVisibilityTimeoutS = 43_200

function send(broker: Broker, queue: Queue, outgoing: OutgoingMessage): Record<string, unknown> {
  checkMessage(queue, outgoing)
  const message = broker.send(queue, outgoing)
  const trace = outgoing.traceHeader
  return {
    MessageId: message.messageId,
    MD5OfMessageBody: digestText(message.body),
    MD5OfMessageAttributes: digestAttributes(message.messageAttributes),
    MD5OfMessageSystemAttributes:
      trace === undefined
        ? undefined
        : digestAttributes({ AWSTraceHeader: { DataType: 'String', StringValue: trace } }),
  }
}

const sendMessage: Operation = ({ broker }, fields) =>
  send(broker, broker.catalog.get(fields.text('QueueUrl')), readMessage(fields))

const sendMessageBatch: Operation = ({ broker }, fields) => {
  const queue = broker.catalog.get(fields.text('QueueUrl'))
  const entries = readEntries(fields)
  const bytes = entries.reduce((sum, { entry }) => sum + measureEntry(entry), 0)
  if (bytes > maxBatchBytes) {
    throw new SqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${maxBatchBytes} bytes. You have sent ${bytes} bytes.`,
    )
  }
  return runBatch(entries, (entry) => send(broker, queue, readMessage(entry)))
}

function measureEntry(entry: Fields): number {
  try {
    return measureMessage(readMessage(entry))
  } catch (error) {
    if (error instanceof SqsError) return 0 // refused by itself, when its turn comes
    throw error
  }
}

const receiveMessage: Operation = async ({ broker, signal }, fields) => {
  const queue = broker.catalog.get(fields.text('QueueUrl'))
  const waitS = fields.optionalInteger('WaitTimeSeconds', 0, 20) ?? queue.number('ReceiveMessageWaitTimeSeconds')
  const visibilityTimeoutS = fields.optionalInteger('VisibilityTimeout', 0, maxVisibilityTimeoutS)
  const messages = await receiveMessages(broker, queue.name, {
    max: fields.optionalInteger('MaxNumberOfMessages', 1, 10) ?? 1,
    waitMs: waitS * 1000,
    signal,
    ...(visibilityTimeoutS !== undefined && { visibilityTimeoutS }),
  })
  return messages.length === 0 ? {} : { Messages: messages.map((message) => show(message, fields)) }
}

function show(message: ReceivedMessage, fields: Fields): Record<string, unknown> {
  const system = [...fields.textList('AttributeNames'), ...fields.textList('MessageSystemAttributeNames')]
  const attributes = pick(message.attributes, (name) => system.includes('All') || system.includes(name))
  const wanted = fields.textList('MessageAttributeNames')
  const messageAttributes = pick<MessageAttribute>(message.messageAttributes, (name) =>
    wanted.some((pattern) => matchesName(pattern, name)),
  )
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: message.md5OfBody,
    Attributes: attributes,
    MessageAttributes: messageAttributes,
    // Over what is shown, not over what was sent: the receiver checks what it has.
    MD5OfMessageAttributes: messageAttributes === undefined ? undefined : digestAttributes(messageAttributes),
  }
}

const matchesName = (pattern: string, name: string): boolean =>
  pattern === 'All' ||
  pattern === '.*' ||
  pattern === name ||
  (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)))

function pick<T>(
  values: Readonly<Record<string, T>>,
  isWanted: (name: string) => boolean,
): Record<string, T> | undefined {
  const kept = Object.entries(values).filter(([name]) => isWanted(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const remove = (broker: Broker, queue: Queue, fields: Fields): Record<string, unknown> => {
  broker.remove(queue, fields.text('ReceiptHandle'))
  return {}
}

const changeVisibility = (broker: Broker, queue: Queue, fields: Fields): Record<string, unknown> => {
  const timeoutS = fields.integer('VisibilityTimeout', 0, maxVisibilityTimeoutS)
  broker.changeVisibility(queue, fields.text('ReceiptHandle'), timeoutS)
  return {}
}

const single =
  (run: typeof remove): Operation =>
  ({ broker }, fields) =>
    run(broker, broker.catalog.get(fields.text('QueueUrl')), fields)

const batch =
  (run: typeof remove): Operation =>
  ({ broker }, fields) => {
    const queue = broker.catalog.get(fields.text('QueueUrl'))
    return runBatch(readEntries(fields), (entry) => run(broker, queue, entry))
  }

/** Operations on messages, by the name in X-Amz-Target. */
export const messageOperations: Readonly<Record<string, Operation>> = {
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  ReceiveMessage: receiveMessage,
  DeleteMessage: single(remove),
  DeleteMessageBatch: batch(remove),
  ChangeMessageVisibility: single(changeVisibility),
  ChangeMessageVisibilityBatch: batch(changeVisibility),
}
