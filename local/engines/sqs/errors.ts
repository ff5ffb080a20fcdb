interface ErrorShape {
  readonly type: string
  /** The code of the older query protocol, which the SDK shows as `Code`. */
  readonly queryCode: string
  readonly status: number
}

const modelled = (name: string, queryCode: string, status = 400): ErrorShape => ({
  type: `com.amazonaws.sqs#${name}`,
  queryCode,
  status,
})
const unmodelled = (name: string): ErrorShape => ({
  type: `com.amazon.coral.service#${name}Exception`,
  queryCode: name,
  status: 400,
})

// Source: error traits in the service's API model.
const shapes = {
  QueueDoesNotExist: modelled('QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'),
  QueueNameExists: modelled('QueueNameExists', 'QueueAlreadyExists'),
  ReceiptHandleIsInvalid: modelled('ReceiptHandleIsInvalid', 'ReceiptHandleIsInvalid', 404),
  MessageNotInflight: modelled('MessageNotInflight', 'AWS.SimpleQueueService.MessageNotInflight'),
  EmptyBatchRequest: modelled('EmptyBatchRequest', 'AWS.SimpleQueueService.EmptyBatchRequest'),
  TooManyEntriesInBatchRequest: modelled(
    'TooManyEntriesInBatchRequest',
    'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  ),
  BatchEntryIdsNotDistinct: modelled('BatchEntryIdsNotDistinct', 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct'),
  InvalidBatchEntryId: modelled('InvalidBatchEntryId', 'AWS.SimpleQueueService.InvalidBatchEntryId'),
  BatchRequestTooLong: modelled('BatchRequestTooLong', 'AWS.SimpleQueueService.BatchRequestTooLong'),
  InvalidMessageContents: modelled('InvalidMessageContents', 'InvalidMessageContents'),
  InvalidAttributeName: modelled('InvalidAttributeName', 'InvalidAttributeName'),
  InvalidAttributeValue: modelled('InvalidAttributeValue', 'InvalidAttributeValue'),
  PurgeQueueInProgress: modelled('PurgeQueueInProgress', 'AWS.SimpleQueueService.PurgeQueueInProgress', 403),
  ResourceNotFoundException: modelled('ResourceNotFoundException', 'ResourceNotFoundException', 404),
  UnsupportedOperation: modelled('UnsupportedOperation', 'AWS.SimpleQueueService.UnsupportedOperation'),
  InvalidParameterValue: unmodelled('InvalidParameterValue'),
  MissingParameter: unmodelled('MissingParameter'),
  InvalidAction: unmodelled('InvalidAction'),
} satisfies Record<string, ErrorShape>

export type SqsErrorCode = keyof typeof shapes

/** A refusal that the caller can act on; `code` is the exception's name in the SDK. */
export class SqsError extends Error {
  override readonly name = 'SqsError'
  readonly code: SqsErrorCode
  readonly shape: ErrorShape

  constructor(code: SqsErrorCode, message: string) {
    super(message)
    this.code = code
    this.shape = shapes[code]
  }
}

/** The answer for a queue that is not there. */
export const queueDoesNotExist = (): SqsError =>
  new SqsError('QueueDoesNotExist', 'The specified queue does not exist.')

/** The answer for a value that breaks a rule. */
export const invalidParameter = (name: string, value: unknown, reason: string): SqsError =>
  new SqsError('InvalidParameterValue', `Value ${String(value)} for parameter ${name} is invalid. Reason: ${reason}`)
