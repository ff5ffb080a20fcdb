import type { Context, DynamoDBRecord, SQSRecord } from 'aws-lambda'
import { errorFields, log, withLogFields } from '../telemetry/log.ts'

/** Records that shall come again, in the form that Lambda's event source mappings read. */
export interface BatchFailures {
  batchItemFailures: { itemIdentifier: string }[]
}

export interface BatchLimits {
  /** How many records of one batch are under way at a time. */
  readonly concurrency: number
  /** A record is begun only while the function has this much time left; what is not begun comes again. */
  readonly needsMs: number
}

type BatchHandler<R> = (event: { readonly Records: readonly R[] }, context: Context) => Promise<BatchFailures>

/** Handles each message of an SQS batch by itself. Source: Lambda guide, "Handling errors for an SQS event source" */
export function eachMessage(
  limits: BatchLimits,
  handle: (record: SQSRecord, context: Context) => Promise<void>,
): BatchHandler<SQSRecord> {
  return ({ Records }, context) =>
    handleEach(
      Records,
      ({ messageId }) => messageId,
      (record) => handle(record, context),
      limitsOf(limits, context),
    )
}

/** Handles each change of a table's stream by itself. Source: Lambda guide, "Using AWS Lambda with Amazon DynamoDB" */
export function eachChange(
  limits: BatchLimits,
  handle: (record: DynamoDBRecord) => Promise<void>,
): BatchHandler<DynamoDBRecord> {
  return ({ Records }, context) =>
    handleEach(Records, ({ dynamodb }) => dynamodb?.SequenceNumber ?? '', handle, limitsOf(limits, context))
}

interface Limits extends BatchLimits {
  readonly remainingMs: () => number
}

const limitsOf = (limits: BatchLimits, context: Context): Limits => ({
  ...limits,
  remainingMs: () => context.getRemainingTimeInMillis(),
})

/**
 * A few records at a time, in their order. One that throws comes again, the others do not; one that could not be finished is not
 * begun and comes again, too: a claim that outlives its function holds its task until the lease is over.
 * @param idOf what Lambda calls the record: messageId (SQS), sequence number (stream)
 */
export async function handleEach<R>(
  records: readonly R[],
  idOf: (record: R) => string,
  handle: (record: R) => Promise<void>,
  { concurrency, needsMs, remainingMs }: Limits,
): Promise<BatchFailures> {
  const failed: string[] = []
  const left: string[] = []
  const waiting = records.values()
  const handleNext = async (): Promise<void> => {
    for (const record of waiting) {
      if (remainingMs() < needsMs) left.push(idOf(record))
      else if (!(await isHandled(record, idOf(record), handle))) failed.push(idOf(record))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, records.length) }, handleNext))
  if (left.length > 0) log('WARN', 'Records were not begun for lack of time and come again.', { count: left.length })
  return { batchItemFailures: [...failed, ...left].map((itemIdentifier) => ({ itemIdentifier })) }
}

/** Records side by side each have log fields of their own. */
function isHandled<R>(record: R, id: string, handle: (record: R) => Promise<void>): Promise<boolean> {
  return withLogFields(async () => {
    try {
      await handle(record)
      return true
    } catch (error) {
      log('ERROR', 'A record failed and comes again.', { record: id, ...errorFields(error) })
      return false
    }
  })
}
