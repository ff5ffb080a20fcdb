import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamReader, StreamRecord } from '../../engines/dynamodb/open-stream.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../template/json.ts'
import type { StreamMappingSpec } from '../template/read-mappings.ts'
import type { FunctionPool } from './function-pool.ts'
import { checkPattern, matchesPattern } from './match-pattern.ts'
import type { Poller } from './queue-poller.ts'
import { readItemFailures } from './read-item-failures.ts'

/** Lambda backs off between retries; on one machine up to a second of real time. */
const FIRST_BACK_OFF_MS = 50
const MAX_BACK_OFF_MS = 1_000
const MAX_WINDOW_MS = 100

/** A part of the stream that is tried on its own after a failure; sizes count records before the filter. */
interface Segment {
  size: number
  attempts: number
}

export interface StreamPollerOptions {
  mapping: StreamMappingSpec
  reader: StreamReader
  pool: FunctionPool
  /** How far the shared clock is ahead of real time, in ms: the engine stamps its records with real time. */
  offsetMs: () => number
  /** Sends the note of what was given up to the mapping's failure destination. */
  sendFailure: (destinationArn: string, record: Json) => Promise<void>
}

export interface StreamPoller extends Poller {
  /** Reads now instead of at the next interval. */
  poke(): void
  hasUnread(): Promise<boolean>
}

/** Reads a table's stream for a function: in order, one batch at a time, each record until it is handled or given up. */
export function startStreamPoller(options: StreamPollerOptions): StreamPoller {
  const { mapping, reader, pool } = options
  const patterns = mapping.filters.filter(isObject)
  for (const pattern of patterns) checkPattern(pattern)
  const segments: Segment[] = []
  let closed = false
  let busy = false

  const poll = async () => {
    while (!closed) {
      const segment = segments[0]
      let records = await reader.read(segment?.size ?? mapping.batchSize)
      if (records.length > 0) busy = true
      if (segment === undefined && records.length > 0 && records.length < mapping.batchSize && mapping.windowMs > 0) {
        await sleep(Math.min(mapping.windowMs, MAX_WINDOW_MS))
        records = await reader.read(mapping.batchSize)
      }
      if (records.length > 0) await handleBatch(records, segment ?? { size: records.length, attempts: 0 })
      busy = segments.length > 0
      if (records.length === 0 && !closed) await reader.wait()
    }
  }

  const handleBatch = async (records: StreamRecord[], segment: Segment) => {
    const tooOld = records.filter((record) => isTooOld(record))
    if (tooOld.length > 0) return giveUp(tooOld, segment, 'RecordAgeExceeded')
    const wanted = records.filter(
      (record) => patterns.length === 0 || patterns.some((pattern) => matchesPattern(pattern, toEvent(record))),
    )
    const failedAt = wanted.length === 0 ? undefined : await findFailure(records, wanted)
    if (closed) return
    if (failedAt === undefined) return settle(segment, records.length)
    if (failedAt > 0) {
      reader.commit(sequenceOf(records[failedAt - 1]))
      replaceFirst(segment, [{ size: records.length - failedAt, attempts: 0 }])
    } else if (mapping.bisectsOnError && records.length > 1) {
      // Splitting costs no retry. Source: Lambda developer guide, "Configuring partial batch response with DynamoDB"
      const half = Math.ceil(records.length / 2)
      const { attempts } = segment
      replaceFirst(segment, [
        { size: half, attempts },
        { size: records.length - half, attempts },
      ])
    } else if (mapping.maxRetries !== undefined && segment.attempts >= mapping.maxRetries) {
      return giveUp(records, segment, 'RetryAttemptsExhausted')
    } else {
      replaceFirst(segment, [{ size: records.length, attempts: segment.attempts + 1 }])
    }
    await sleep(Math.min(FIRST_BACK_OFF_MS * 2 ** segment.attempts, MAX_BACK_OFF_MS))
  }

  /** Index of the first record that is still to be handled, `undefined` when all are. */
  const findFailure = async (records: StreamRecord[], wanted: StreamRecord[]): Promise<number | undefined> => {
    const result = await pool.invoke(mapping.functionName, { Records: wanted.map((record) => shiftTime(record)) })
    if (!result.ok) return 0
    if (!mapping.reportsItemFailures) return undefined
    const failures = readItemFailures(result.value, new Set(wanted.map((record) => sequenceOf(record))))
    if (failures === 'all') return 0
    const at = records.findIndex((record) => failures.has(sequenceOf(record)))
    return at < 0 ? undefined : at
  }

  const settle = (segment: Segment, count: number) => {
    reader.commit()
    replaceFirst(segment, segment.size > count ? [{ size: segment.size - count, attempts: 0 }] : [])
  }
  const replaceFirst = (segment: Segment, parts: Segment[]) => {
    segments.splice(0, segments[0] === segment ? 1 : 0, ...parts)
  }
  const giveUp = async (records: StreamRecord[], segment: Segment, condition: string) => {
    if (mapping.onFailureArn !== undefined) {
      await options.sendFailure(mapping.onFailureArn, describeLoss(records, segment, { mapping, reader, condition }))
    }
    reader.commit(sequenceOf(records.at(-1)))
    replaceFirst(segment, segment.size > records.length ? [{ size: segment.size - records.length, attempts: 0 }] : [])
  }
  const isTooOld = (record: StreamRecord) => {
    const createdAt = (record.dynamodb.ApproximateCreationDateTime ?? Date.now() / 1_000) * 1_000
    return mapping.maxAgeMs !== undefined && Date.now() - createdAt > mapping.maxAgeMs
  }
  const shiftTime = (record: StreamRecord): JsonObject => {
    const event = toEvent(record)
    const created = record.dynamodb.ApproximateCreationDateTime
    if (created === undefined || !isObject(event['dynamodb'])) return event
    const shifted = Math.floor(created + options.offsetMs() / 1_000)
    return { ...event, dynamodb: { ...event['dynamodb'], ApproximateCreationDateTime: shifted } }
  }

  const polling = poll()
  return {
    busy: () => busy,
    poke: () => reader.poke(),
    hasUnread: () => reader.hasUnread(),
    close: async () => {
      closed = true
      reader.poke()
      await polling
      reader.close()
    },
  }
}

function sequenceOf(record: StreamRecord | undefined): string {
  return record?.dynamodb.SequenceNumber ?? ''
}

function toEvent(record: StreamRecord): JsonObject {
  const event = parseJson(JSON.stringify(record))
  return isObject(event) ? event : {}
}

/** The record that Lambda sends to the failure destination of a stream: it names the records, it does not hold them. */
function describeLoss(
  records: StreamRecord[],
  segment: Segment,
  { mapping, reader, condition }: Pick<StreamPollerOptions, 'mapping' | 'reader'> & { condition: string },
): Json {
  const arrival = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000).toISOString()
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: { functionArn: mapping.functionName, condition, approximateInvokeCount: segment.attempts + 1 },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    DDBStreamBatchInfo: {
      shardId: reader.shardId(),
      startSequenceNumber: sequenceOf(records[0]),
      endSequenceNumber: sequenceOf(records.at(-1)),
      approximateArrivalOfFirstRecord: arrival(records[0]),
      approximateArrivalOfLastRecord: arrival(records.at(-1)),
      batchSize: records.length,
      streamArn: mapping.streamArn,
    },
  }
}
