/** A message attribute in wire form; `BinaryValue` is base64. */
export interface MessageAttribute {
  readonly DataType: string
  readonly StringValue?: string
  readonly BinaryValue?: string
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>

/** What a sender gives. */
export interface OutgoingMessage {
  readonly body: string
  /** 0..900; the queue's own delay when absent. */
  readonly delayS?: number
  readonly groupId?: string
  readonly messageAttributes?: MessageAttributes
  readonly traceHeader?: string
}

export type MessageState = 'ready' | 'delayed' | 'inFlight' | 'gone'

/** A message inside a queue. Instants are ms since the epoch. */
export interface Message {
  readonly seq: number
  readonly messageId: string
  readonly groupId: string | undefined
  readonly messageAttributes: MessageAttributes
  readonly traceHeader: string | undefined
  readonly sentAt: number
  /** ARN of the queue that this message failed in. */
  readonly sourceArn: string | undefined
  body: string
  state: MessageState
  visibleAt: number
  receives: number
  firstReceivedAt: number | undefined
}

/** What a receiver gets. */
export interface ReceivedMessage {
  readonly messageId: string
  readonly receiptHandle: string
  readonly body: string
  readonly md5OfBody: string
  /** System attributes: ApproximateReceiveCount, SentTimestamp, ApproximateFirstReceiveTimestamp, SenderId, … */
  readonly attributes: Readonly<Record<string, string>>
  readonly messageAttributes: MessageAttributes
  readonly md5OfMessageAttributes: string | undefined
}
