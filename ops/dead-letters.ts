import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { outputNameOf } from './deps.ts'

/** A dead-letter queue and, where a queue redrives into it, that queue. */
export interface DeadLetters {
  readonly name: string
  readonly url: string
  readonly sourceUrl?: string
  /** Salvage reads this one: looking into it counts as taking. */
  readonly isSalvaged: boolean
}

const PREFIX = 'DeadLetters'
const CALLBACKS = 'SettlingCallbacks'

/** Names that {@link findDeadLetters} takes, as they stand in the outputs. */
export function deadLetterNames(outputs: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(outputs)
    .filter((key) => key.startsWith(PREFIX))
    .toSorted()
}

/**
 * The dead-letter queue that a person means.
 * @param asked a lane, `callbacks`, the name of an output (with or without `DeadLetters`), or the queue's own name
 */
export function findDeadLetters(outputs: Readonly<Record<string, string>>, asked: string): DeadLetters | undefined {
  const plain = outputNameOf(asked)
  const keys = [`TasksLane${plain}`, asked === 'callbacks' ? CALLBACKS : plain].map((name) => `${PREFIX}${name}`)
  const name = deadLetterNames(outputs).find(
    (key) => keys.includes(key) || key === plain || outputs[key]?.split('/').at(-1) === asked,
  )
  const url = name === undefined ? undefined : outputs[name]
  if (name === undefined || url === undefined) return undefined
  const owner = name.slice(PREFIX.length)
  const sourceUrl = outputs[`Queue${owner}`]
  return { name, url, ...(sourceUrl !== undefined && { sourceUrl }), isSalvaged: owner === CALLBACKS }
}

/** Most messages that a look lists. */
export const MAX_LOOKED_AT = 1000
/** How long a look keeps a message from others, should it not come to give it back. */
const LOOK_VISIBILITY_S = 60
const BATCH = 10

/**
 * Messages of a queue, each once, given back at the end: nothing is consumed, though each look counts as a receive.
 * @throws errors of the SDK
 */
export async function lookInto(sqs: SQSClient, url: string): Promise<readonly Message[]> {
  const seen = new Map<string, Message>()
  try {
    while (seen.size < MAX_LOOKED_AT) {
      const messages = (await receive(sqs, url, LOOK_VISIBILITY_S)).filter(({ MessageId: id = '' }) => !seen.has(id))
      if (messages.length === 0) break
      for (const message of messages) seen.set(message.MessageId ?? '', message)
    }
  } finally {
    await giveBack(sqs, url, [...seen.values()])
  }
  return [...seen.values()]
}

/** Up to ten messages with all their attributes; a second of waiting asks every server of SQS. */
export async function receive(sqs: SQSClient, url: string, visibilityS: number): Promise<readonly Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: BATCH,
      VisibilityTimeout: visibilityS,
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount'],
    }),
  )
  return Messages
}

/** Makes messages visible again at once. */
export async function giveBack(sqs: SQSClient, url: string, messages: readonly Message[]): Promise<void> {
  for (let from = 0; from < messages.length; from += BATCH) {
    const Entries = messages
      .slice(from, from + BATCH)
      .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }))
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }))
  }
}

/** How many messages lie in a queue, about. */
export async function countMessages(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  const numberOf = (name: 'ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible') =>
    Number(Attributes?.[name] ?? 0)
  return numberOf('ApproximateNumberOfMessages') + numberOf('ApproximateNumberOfMessagesNotVisible')
}
