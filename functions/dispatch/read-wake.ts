import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'
import { parseTaskNo, type TaskNo } from '../../modules/core/ids.ts'
import { type Instant, parseInstant } from '../../modules/core/instant.ts'

/** A task that wants a trigger, as its row says. */
export interface Wake {
  readonly pk: string
  readonly taskNo: TaskNo
  /** For log lines only. */
  readonly orderNo?: string
  readonly lane: string
  readonly bizType: string
  readonly wake: Instant
}

/**
 * What a stream record asks for: a trigger iff the new image has a `wake` that differs from the old one's.
 * @returns `undefined` for every other change of a row
 * Source: docs/design/task-times.md, Sending
 */
export function readWake(record: DynamoDBRecord): Wake | undefined {
  const image = record.dynamodb?.NewImage
  if (image === undefined || text(image['et']) !== 'TASK') return undefined
  const wake = parseInstant(text(image['wake']) ?? '')
  if (wake === undefined || wake === text(record.dynamodb?.OldImage?.['wake'])) return undefined
  const taskNo = parseTaskNo(text(image['taskNo']) ?? '')
  const pk = text(image['pk'])
  const lane = text(image['lane'])
  if (taskNo === undefined || pk === undefined || lane === undefined) return undefined
  const orderNo = text(image['orderNo'])
  return { pk, taskNo, lane, bizType: text(image['bizType']) ?? '', wake, ...(orderNo !== undefined && { orderNo }) }
}

const text = (value: AttributeValue | undefined): string | undefined => value?.S
