import type { Message } from '@aws-sdk/client-sqs'
import type { DynamoDBRecord } from 'aws-lambda'
import { z } from 'zod'
import { type CallStreams, StreamsError } from './call-streams.ts'

const noted = z.object({
  DDBStreamBatchInfo: z.object({
    shardId: z.string(),
    startSequenceNumber: z.string().regex(/^\d+$/),
    endSequenceNumber: z.string().regex(/^\d+$/),
    approximateArrivalOfFirstRecord: z.string(),
    approximateArrivalOfLastRecord: z.string(),
    streamArn: z.string(),
  }),
})

/** A piece of the stream that a reader gave up: Lambda notes where it is and not what it holds. */
export type StreamBatch = z.output<typeof noted>['DDBStreamBatchInfo']

/** The piece of the stream that a message names; `undefined` for a message of another kind. */
export function streamBatchOf({ Body: body = '' }: Message): StreamBatch | undefined {
  try {
    return noted.safeParse(JSON.parse(body)).data?.DDBStreamBatchInfo
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The stream has forgotten the batch or a part of it: it keeps 24 hours. */
export class TrimmedError extends Error {
  override readonly name = 'TrimmedError'
  readonly code = 'STREAM_TRIMMED'
}

const image = z.record(z.string(), z.custom<NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>[string]>())
const iterator = z.object({ ShardIterator: z.string() })
const page = z.object({
  Records: z.array(
    z.object({
      eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
      dynamodb: z.object({
        SequenceNumber: z.string(),
        NewImage: image.optional(),
        OldImage: image.optional(),
      }),
    }),
  ),
  /** Absent at the end of a shard that is closed. */
  NextShardIterator: z.string().nullish(),
})
type StreamRecord = z.output<typeof page>['Records'][number]

/** A page has up to 1000 records, and may be empty in the midst of a shard. A batch that a function gets has 100 at most. */
const MAX_PAGES = 500

/**
 * The records of a batch, those included that its reader's filter passes over.
 * @throws TrimmedError when one of them is not there any more; StreamsError, or what the network throws
 */
export async function readBatch(call: CallStreams, batch: StreamBatch): Promise<readonly StreamRecord[]> {
  const [start, end] = [BigInt(batch.startSequenceNumber), BigInt(batch.endSequenceNumber)]
  const records: StreamRecord[] = []
  let next = await iterate(call, batch)
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { Records, NextShardIterator } = page.parse(await call('GetRecords', { ShardIterator: next }).catch(gone))
    records.push(...Records)
    // An engine that says nothing of what it has trimmed begins with the oldest that it has.
    if (numberOf(records[0]) > start) throw new TrimmedError('The stream begins after the batch.')
    if (numberOf(records.at(-1)) >= end) return records.filter((record) => numberOf(record) <= end)
    if (NextShardIterator == null) throw new TrimmedError('The shard ends before the batch.')
    next = NextShardIterator
  }
  throw new StreamsError('GetRecords', 'BATCH_NOT_FOUND', `the batch does not end within ${MAX_PAGES} pages`)
}

async function iterate(call: CallStreams, { streamArn, shardId, startSequenceNumber }: StreamBatch): Promise<string> {
  const from = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: startSequenceNumber }
  const answer = await call('GetShardIterator', { StreamArn: streamArn, ShardId: shardId, ...from }).catch(gone)
  return iterator.parse(answer).ShardIterator
}

const numberOf = (record: StreamRecord | undefined): bigint => BigInt(record?.dynamodb.SequenceNumber ?? 0)

const GONE: ReadonlySet<string> = new Set(['TrimmedDataAccessException', 'ResourceNotFoundException'])

function gone(error: unknown): never {
  if (error instanceof StreamsError && GONE.has(error.code)) throw new TrimmedError(error.message, { cause: error })
  throw error
}
