import { digestAttributes, digestText } from './md5.ts'
import type { Message, ReceivedMessage } from './message.ts'
import type { Queue } from './queue.ts'
import { writeReceiptHandle } from './receipt-handle.ts'

/** A message as its receiver sees it, with a handle for this receive. */
export function toReceived(queue: Queue, message: Message): ReceivedMessage {
  return {
    messageId: message.messageId,
    receiptHandle: writeReceiptHandle(queue.id, message),
    body: message.body,
    md5OfBody: digestText(message.body),
    attributes: {
      SenderId: 'AIDALOCAL',
      SentTimestamp: String(message.sentAt),
      ApproximateReceiveCount: String(message.receives),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
      ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
      ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
      ...(message.sourceArn !== undefined && { DeadLetterQueueSourceArn: message.sourceArn }),
    },
    messageAttributes: message.messageAttributes,
    md5OfMessageAttributes: digestAttributes(message.messageAttributes),
  }
}
