import { expect, it } from 'vitest'
import { proveVerified } from '../../modules/channels/channel.ts'
import { parseTaskNo } from '../../modules/core/ids.ts'
import {
  type CallbackMessage,
  readCallbackMessage,
  writeCallbackMessage,
} from '../../modules/queues/callback-message.ts'
import { MessageFormatError } from '../../modules/queues/message-text.ts'
import { readTaskMessage, type TaskMessage, writeTaskMessage } from '../../modules/queues/task-message.ts'
import { aChannel, anInstant, sure } from '../support/core-builders.ts'

const at = anInstant('2026-03-01T08:00:00.000Z')
const task: TaskMessage = {
  v: 1,
  pk: 'ORDER#O-1',
  taskNo: sure(parseTaskNo('A'.repeat(26))),
  wake: at,
  lane: 'stripe',
  cause: 'stream',
}
const verified = proveVerified({
  channel: aChannel('stripe'),
  receivedAt: at,
  keyId: '0',
  headers: { 'stripe-signature': 't=1' },
  body: Buffer.from([0, 255, 10]),
})

it('a message is read as it was written, to the byte', () => {
  expect(readTaskMessage(writeTaskMessage(task))).toEqual(task)
  expect(readCallbackMessage(writeCallbackMessage(verified)).verified).toEqual(verified)
})

it('a field renamed on one side does not compile', () => {
  const { wake, ...rest } = task
  // @ts-expect-error the writer's side
  const renamed: TaskMessage = { ...rest, wakeAt: wake }
  // @ts-expect-error the reader's side
  const read = readTaskMessage(writeTaskMessage(task)).wakeAt
  const { bodyBase64, ...head }: CallbackMessage = JSON.parse(writeCallbackMessage(verified))
  // @ts-expect-error the writer's side
  const other: CallbackMessage = { ...head, body: bodyBase64 }

  expect(() => readTaskMessage(JSON.stringify(renamed))).toThrow(MessageFormatError)
  expect(() => readCallbackMessage(JSON.stringify(other))).toThrow("wrong 'bodyBase64'")
  expect(read).toBeUndefined()
})

it('a value that is not of its form is refused by the name of its field', () => {
  expect(() => readTaskMessage(JSON.stringify({ ...task, taskNo: '4' }))).toThrow("wrong 'taskNo'")
  expect(() => readTaskMessage(JSON.stringify({ ...task, cause: 'mail' }))).toThrow("wrong 'cause'")
  expect(() => readTaskMessage('<xml/>')).toThrow('no JSON')
})
