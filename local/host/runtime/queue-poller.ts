import type { ReceivedMessage } from '../../engines/sqs/message.ts'
import type { SqsEngine } from '../../engines/sqs/open-sqs.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../template/json.ts'
import type { QueueMappingSpec } from '../template/read-mappings.ts'
import type { FunctionPool } from './function-pool.ts'
import { checkPattern, matchesPattern } from './match-pattern.ts'
import { readItemFailures } from './read-item-failures.ts'

/** A poller asks again after this time, as a long poll does. */
const LONG_POLL_MS = 20_000
/** A batching window is waiting time only; on one machine it is cut short. */
const MAX_WINDOW_MS = 100

/** An event source that reads on until it is closed. */
export interface Poller {
  /** True while records are in hand: received, waited with, or given to the function. */
  busy(): boolean
  close(): Promise<void>
}

export interface QueuePollerOptions {
  mapping: QueueMappingSpec
  sqs: SqsEngine
  pool: FunctionPool
  region: string
  /** Most batches at the same time, where the mapping sets no lower limit. */
  concurrency: number
}

/** Reads a queue for a function: what it handled is deleted, what it did not comes back after the visibility time-out. */
export function startQueuePoller(options: QueuePollerOptions): Poller {
  const { mapping, sqs } = options
  const queueName = mapping.queueArn.split(':').at(-1) ?? ''
  const patterns = mapping.filters.filter(isObject)
  for (const pattern of patterns) checkPattern(pattern)
  const stop = new AbortController()
  let inHand = 0

  const poll = async () => {
    while (!stop.signal.aborted) {
      // What is there already is in flight before its commit has ended: from that moment on it is in our hand.
      const isThere = sqs.hasVisible(queueName)
      if (isThere) inHand += 1
      const received = await receive(mapping.batchSize, isThere ? 0 : LONG_POLL_MS)
      if (received.length > 0 && !isThere) inHand += 1
      try {
        if (received.length > 0) await handleBatch(await fillBatch(received))
      } finally {
        if (received.length > 0 || isThere) inHand -= 1
      }
    }
  }
  const receive = (max: number, waitMs: number) => sqs.receive(queueName, { max, waitMs, signal: stop.signal })
  const fillBatch = async (first: readonly ReceivedMessage[]): Promise<readonly ReceivedMessage[]> => {
    const until = performance.now() + Math.min(mapping.windowMs, MAX_WINDOW_MS)
    const batch = [...first]
    for (;;) {
      const waitMs = until - performance.now()
      if (batch.length >= mapping.batchSize || waitMs <= 0 || stop.signal.aborted) return batch
      batch.push(...(await receive(mapping.batchSize - batch.length, waitMs)))
    }
  }
  const handleBatch = async (batch: readonly ReceivedMessage[]) => {
    const records = batch.map((message) => ({ message, record: toSqsRecord(message, options) }))
    const wanted = records.filter(({ record }) => isWanted(record, patterns))
    const unwanted = records.filter(({ record }) => !isWanted(record, patterns))
    // As on AWS: a message that no filter wants is gone.
    await remove(unwanted.map(({ message }) => message))
    if (wanted.length === 0) return
    const result = await options.pool.invoke(mapping.functionName, { Records: wanted.map(({ record }) => record) })
    if (!result.ok) return
    const known = new Set(wanted.map(({ message }) => message.messageId))
    const failed = mapping.reportsItemFailures ? readItemFailures(result.value, known) : new Set()
    if (failed === 'all') return
    await remove(wanted.map(({ message }) => message).filter((message) => !failed.has(message.messageId)))
  }
  const remove = async (messages: ReceivedMessage[]) => {
    if (messages.length > 0 && !stop.signal.aborted) {
      await sqs.remove(
        queueName,
        messages.map((message) => message.receiptHandle),
      )
    }
  }

  const slots = Math.max(1, Math.min(mapping.maxConcurrency ?? options.concurrency, options.concurrency))
  const polls = Array.from({ length: slots }, poll)
  return {
    busy: () => inHand > 0,
    close: async () => {
      stop.abort()
      await Promise.all(polls)
    },
  }
}

function toSqsRecord(message: ReceivedMessage, options: QueuePollerOptions): JsonObject {
  const messageAttributes: JsonObject = {}
  for (const [name, attribute] of Object.entries(message.messageAttributes)) {
    messageAttributes[name] = {
      dataType: attribute.DataType,
      ...(attribute.StringValue !== undefined && { stringValue: attribute.StringValue }),
      ...(attribute.BinaryValue !== undefined && { binaryValue: attribute.BinaryValue }),
      stringListValues: [],
      binaryListValues: [],
    }
  }
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: { ...message.attributes },
    messageAttributes,
    md5OfBody: message.md5OfBody,
    ...(message.md5OfMessageAttributes !== undefined && { md5OfMessageAttributes: message.md5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: options.mapping.queueArn,
    awsRegion: options.region,
  }
}

/** A pattern may look into a JSON body; then a body that is not JSON matches nothing. */
function isWanted(record: JsonObject, patterns: JsonObject[]): boolean {
  if (patterns.length === 0) return true
  const body = parseBody(record['body'])
  return patterns.some((pattern) =>
    isObject(pattern['body'])
      ? body !== undefined && matchesPattern(pattern, { ...record, body })
      : matchesPattern(pattern, record),
  )
}

function parseBody(body: Json | undefined): Json | undefined {
  try {
    return typeof body === 'string' ? parseJson(body) : undefined
  } catch {
    return undefined
  }
}
