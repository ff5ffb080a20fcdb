import { SqsError } from './errors.ts'
import type { Message } from './message.ts'

/** Which receive of which message a handle stands for. */
export interface Receipt {
  readonly seq: number
  readonly receives: number
  readonly messageId: string
}

/** A handle for the latest receive of a message; it is good for this queue only. */
export const writeReceiptHandle = (queueId: number, message: Message): string =>
  Buffer.from(`${queueId}/${message.seq}/${message.receives}/${message.messageId}`).toString('base64')

/** @throws SqsError ReceiptHandleIsInvalid for anything that this queue did not hand out */
export function readReceiptHandle(queueId: number, handle: string): Receipt {
  const match = /^(\d+)\/(\d+)\/(\d+)\/([0-9a-f-]{36})$/.exec(Buffer.from(handle, 'base64').toString('latin1'))
  const [, queue, seq, receives, messageId] = match ?? []
  if (messageId === undefined || Number(queue) !== queueId) {
    throw new SqsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`)
  }
  return { seq: Number(seq), receives: Number(receives), messageId }
}
