import * as z from 'zod/mini'
import { parseTaskNo } from '../core/ids.ts'
import { parseInstant } from '../core/instant.ts'
import { by, readText } from './message-text.ts'

/** Made when it is first read: dispatch only writes, and its bundle has no schema library. */
const makeSchema = () =>
  z.object({
    v: z.literal(1),
    pk: z.string(),
    taskNo: by(parseTaskNo),
    wake: by(parseInstant),
    lane: z.string(),
    cause: z.enum(['stream', 'schedule', 'redrive']),
  })
let schema: ReturnType<typeof makeSchema> | undefined

/** Names a task's row to the worker; decides nothing. Source: docs/design/messages.md */
export type TaskMessage = Readonly<z.output<ReturnType<typeof makeSchema>>>

/** The text of a trigger, for a queue or a schedule. */
export function writeTaskMessage(message: TaskMessage): string {
  return JSON.stringify(message)
}

/** @throws MessageFormatError naming the field */
export function readTaskMessage(text: string): TaskMessage {
  schema ??= makeSchema()
  return readText(schema, text, 'task')
}
