import * as z from 'zod/mini'
import { parseTaskNo } from '../core/ids.ts'
import { parseInstant } from '../core/instant.ts'
import type { TaskMessage } from './task-message.ts'

const message = z.object({
  v: z.literal(1),
  pk: z.string(),
  taskNo: z.string(),
  wake: z.string(),
  lane: z.string(),
  cause: z.enum(['stream', 'schedule', 'redrive']),
})

/** A message of a lane's queue that dispatch did not write. It reaches the lane's DLQ and its alarm. */
export class TaskMessageError extends Error {
  override readonly name = 'TaskMessageError'
  readonly code = 'TASK_MESSAGE'
}

/** @throws TaskMessageError naming the field */
export function readTaskMessage(body: string): TaskMessage {
  const parsed = z.safeParse(message, parseJson(body))
  if (!parsed.success) throw unfit(parsed.error.issues[0]?.path.join('.') ?? 'body')
  const { v, pk, lane, cause } = parsed.data
  const taskNo = parseTaskNo(parsed.data.taskNo)
  const wake = parseInstant(parsed.data.wake)
  if (taskNo === undefined) throw unfit('taskNo')
  if (wake === undefined) throw unfit('wake')
  return { v, pk, taskNo, wake, lane, cause }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TaskMessageError('A task message is no JSON. Look for another writer of the queue.', { cause })
  }
}

function unfit(field: string): TaskMessageError {
  return new TaskMessageError(`A task message has a wrong '${field}'. Look for another writer of the queue.`)
}
