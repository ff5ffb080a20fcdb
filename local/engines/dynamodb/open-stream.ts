import { openStreamApi, type RawRecord, type Shard } from './stream-api.ts'
import { openStreamPositions } from './stream-positions.ts'

/** One record in the shape that a Lambda function gets it. */
export type StreamRecord = RawRecord & {
  eventVersion: '1.1'
  eventSource: 'aws:dynamodb'
  awsRegion: string
  eventSourceARN: string
}

export interface StreamOptions {
  endpoint: string
  tableName: string
  /** SQLite file of positions; all readers may share one. */
  statePath: string
  /** Each consumer sees every record and keeps a position of its own. */
  consumer: string
  /** The stream's ARN as the functions are to see it; by default the engine's, moved to `region`. */
  eventSourceArn?: string
  region?: string
  accessKeyId?: string
  /** How long `wait` sleeps when nobody pokes. */
  pollIntervalMs?: number
}

/** A consumer's place in a table's stream: at least once, in order. */
export interface StreamReader {
  /** The records after the last commit, oldest first, at most `max` (≤ 1000); the same again until committed. */
  read(max: number): Promise<StreamRecord[]>
  /** Marks what `read` last returned as handled, or only up to and including the given sequence number. */
  commit(upTo?: string): void
  /** The shard that `read` last read from. */
  shardId(): string
  /** Whether a record waits that this consumer has not committed. */
  hasUnread(): Promise<boolean>
  /** Wakes `wait`: call it after anything that may have written to the table. */
  poke(): void
  /** Resolves at a poke (also one since the last `read` began), after the poll interval, or when closed. */
  wait(): Promise<void>
  close(): void
}

/**
 * Opens a consumer's place in the stream of a table; a new consumer begins at the oldest record kept.
 * @throws DynamodbEngineError STREAM_FAILED from `read` and `hasUnread` when the table or its stream is missing
 */
export function openStream(options: StreamOptions): StreamReader {
  const region = options.region ?? 'us-east-1'
  const api = openStreamApi(options.endpoint, { accessKeyId: options.accessKeyId ?? 'local', region })
  const positions = openStreamPositions(options.statePath)
  const pollIntervalMs = options.pollIntervalMs ?? 100
  let shard: Shard | undefined
  let cursor: { after: string | undefined; iterator: string } | undefined
  let lastRead: { after: string; next: string } | undefined
  let poked = false
  let wake: (() => void) | undefined

  async function readRaw(limit: number): Promise<{ records: RawRecord[]; next: string; shard: Shard }> {
    shard ??= await api.findShard(options.tableName)
    const after = positions.read(shard.streamArn, options.consumer)
    if (cursor === undefined || cursor.after !== after) cursor = { after, iterator: await api.iterate(shard, after) }
    return { ...(await api.page(cursor.iterator, limit)), shard }
  }

  return {
    async read(max) {
      poked = false
      const page = await readRaw(max)
      const last = page.records.at(-1)?.dynamodb.SequenceNumber
      lastRead = last === undefined ? undefined : { after: last, next: page.next }
      const eventSourceARN = options.eventSourceArn ?? moveToRegion(page.shard.streamArn, region)
      return page.records.map((record) => toLambdaRecord(record, eventSourceARN, region))
    },
    commit(upTo) {
      if (shard === undefined || lastRead === undefined) return
      positions.write(shard.streamArn, options.consumer, upTo ?? lastRead.after)
      // The page's own next iterator spares a call, unless part of the page is to come again.
      const whole = upTo === undefined || upTo === lastRead.after
      cursor = whole ? { after: lastRead.after, iterator: lastRead.next } : undefined
      lastRead = undefined
    },
    shardId: () => shard?.shardId ?? '',
    hasUnread: async () => (await readRaw(1)).records.length > 0,
    poke() {
      poked = true
      wake?.()
    },
    async wait() {
      if (poked) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollIntervalMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wake = undefined
    },
    close() {
      wake?.()
      positions.close()
    },
  }
}

function toLambdaRecord(record: RawRecord, eventSourceARN: string, awsRegion: string): StreamRecord {
  return { ...record, eventVersion: '1.1', eventSource: 'aws:dynamodb', awsRegion, eventSourceARN }
}

/** The engine names a region of its own in ARNs; everything else here lives in one. */
function moveToRegion(arn: string, region: string): string {
  return arn.split(':').with(3, region).join(':')
}
