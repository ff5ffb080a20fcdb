import { errorFields, log, withLogFields } from './log.ts'

/** Records that shall come again, in the form that Lambda's event source mappings read. */
export interface BatchFailures {
  batchItemFailures: { itemIdentifier: string }[]
}

/** Share of a function's time that is kept for finishing what was begun. */
const RESERVED_SHARE = 0.2

/**
 * Handles each record by itself; one that throws comes again, the others do not.
 * Records that would start in the last fifth of the function's time are given back untouched.
 * @param idOf what Lambda calls the record: messageId (SQS), sequence number (stream)
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export async function handleEach<R>(
  records: readonly R[],
  idOf: (record: R) => string,
  handle: (record: R) => Promise<void>,
  remainingMs: () => number,
): Promise<BatchFailures> {
  const reservedMs = remainingMs() * RESERVED_SHARE
  const failed = await Promise.all(
    records.map(async (record) => {
      if (remainingMs() < reservedMs) return [{ itemIdentifier: idOf(record) }]
      return withLogFields(async () => {
        try {
          await handle(record)
          return []
        } catch (error) {
          log('ERROR', 'A record failed and comes again.', { record: idOf(record), ...errorFields(error) })
          return [{ itemIdentifier: idOf(record) }]
        }
      })
    }),
  )
  return { batchItemFailures: failed.flat() }
}
