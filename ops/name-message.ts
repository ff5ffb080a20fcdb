import type { Message } from '@aws-sdk/client-sqs'
import { type Instant, msOf } from '../modules/core/instant.ts'
import { readTask } from '../modules/ledger/read/list-tasks.ts'
import type { Ledger } from '../modules/ledger/table/client.ts'
import { MessageFormatError } from '../modules/queues/message-text.ts'
import { readTaskMessage, type TaskMessage } from '../modules/queues/task-message.ts'

/** The task that a message names, `undefined` when it is no trigger of a task. */
export function taskMessageOf({ Body: body = '' }: Message): TaskMessage | undefined {
  try {
    return readTaskMessage(body)
  } catch (error) {
    if (error instanceof MessageFormatError) return undefined
    throw error
  }
}

/** A message for people: which task it is about and how that stands; never what it holds. @throws errors of the SDK */
export async function nameMessage(ledger: Ledger, message: Message): Promise<string> {
  const named = taskMessageOf(message)
  if (named === undefined) return 'names no task'
  const task = await readTask(ledger, named.pk, named.taskNo)
  if (task === undefined) return `${named.pk} ${named.taskNo}, which is not in the ledger`
  return `${task.bizType} ${task.bizNo} ${named.pk} ${named.taskNo}, now ${task.status}`
}

/** How long ago a message was first sent, and how often it was received since it lies here. */
export function ageOf({ Attributes: attributes }: Message, now: Instant): string {
  const sentMs = Number(attributes?.SentTimestamp ?? msOf(now))
  const minutes = Math.max(0, Math.round((msOf(now) - sentMs) / 60_000))
  return `${minutes} min old, received ${attributes?.ApproximateReceiveCount ?? '?'} times`
}
