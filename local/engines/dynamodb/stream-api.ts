import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { z } from 'zod'
import { DynamodbEngineError } from './errors.ts'

const image = z.record(z.string(), z.custom<AttributeValue>()).optional()
const recordSchema = z.object({
  eventID: z.string(),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.object({
    ApproximateCreationDateTime: z.number().optional(),
    Keys: image,
    NewImage: image,
    OldImage: image,
    SequenceNumber: z.string(),
    SizeBytes: z.number().optional(),
    StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']),
  }),
})
const streamsSchema = z.object({ Streams: z.array(z.object({ StreamArn: z.string(), StreamLabel: z.string() })) })
const descriptionSchema = z.object({
  StreamDescription: z.object({ Shards: z.array(z.object({ ShardId: z.string() })) }),
})
const iteratorSchema = z.object({ ShardIterator: z.string() })
const pageSchema = z.object({ Records: z.array(recordSchema), NextShardIterator: z.string() })

/** One record as the service answers it. */
export type RawRecord = z.infer<typeof recordSchema>

/** The one shard of a table's stream. */
export interface Shard {
  streamArn: string
  shardId: string
}

/** Four calls of the DynamoDB Streams API (20120810), for a stream with one shard. */
export interface StreamApi {
  /** Costs tens of ms with many records kept: once per reader. */
  findShard(tableName: string): Promise<Shard>
  /** @param after a sequence number, or `undefined` for the oldest record kept */
  iterate(shard: Shard, after: string | undefined): Promise<string>
  page(iterator: string, limit: number): Promise<{ records: RawRecord[]; next: string }>
}

/** @param credentials as the SDK clients have: DynamoDB Local keeps one database per access key and region */
export function openStreamApi(endpoint: string, credentials: { accessKeyId: string; region: string }): StreamApi {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20260101T000000Z',
    // Local engines ask for the header and check nothing in it, so the signature is not one.
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${credentials.region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  }
  async function call<T>(operation: string, input: object, schema: z.ZodType<T>): Promise<T> {
    const target = { 'x-amz-target': `DynamoDBStreams_20120810.${operation}` }
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { ...headers, ...target },
      body: JSON.stringify(input),
    })
    const text = await response.text()
    if (!response.ok)
      throw new DynamodbEngineError('STREAM_FAILED', `${operation} answered ${response.status}: ${text}`)
    return schema.parse(JSON.parse(text))
  }
  return {
    async findShard(tableName) {
      const { Streams } = await call('ListStreams', { TableName: tableName }, streamsSchema)
      const streamArn = Streams.toSorted((a, b) => a.StreamLabel.localeCompare(b.StreamLabel)).at(-1)?.StreamArn
      if (streamArn === undefined) throw new DynamodbEngineError('STREAM_FAILED', `Table ${tableName} has no stream.`)
      const { StreamDescription } = await call('DescribeStream', { StreamArn: streamArn }, descriptionSchema)
      const [shard, another] = StreamDescription.Shards
      if (shard === undefined || another !== undefined) {
        throw new DynamodbEngineError('STREAM_FAILED', `The stream of ${tableName} has not exactly one shard.`)
      }
      return { streamArn, shardId: shard.ShardId }
    },
    async iterate(shard, after) {
      const from =
        after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
      const input = { StreamArn: shard.streamArn, ShardId: shard.shardId, ...from }
      return (await call('GetShardIterator', input, iteratorSchema)).ShardIterator
    },
    async page(iterator, limit) {
      const page = await call('GetRecords', { ShardIterator: iterator, Limit: limit }, pageSchema)
      return { records: page.Records, next: page.NextShardIterator }
    },
  }
}
