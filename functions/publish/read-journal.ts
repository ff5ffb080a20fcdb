import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'
import { type Instant, parseInstant } from '../../modules/core/instant.ts'
import type { Unpublished } from '../../modules/ledger/notice/mark-journal.ts'

/** One change of an order as the bus tells it, and the row that it stands in. Source: docs/design/messages.md */
export interface OrderChange extends Unpublished {
  readonly detailType: string
  readonly detail: Readonly<Record<string, string | number>> & { readonly id: string; readonly orderNo: string }
  /** How often its publication has failed. */
  readonly failures: number
}

/**
 * The bus event that a stream record asks for: that of a new journal row, and that of a marked one whose `wake` is new. A change
 * that came again has the image of the first time and so the same id.
 * @returns `undefined` for anything else, and for entries that changed no status (a freeze)
 * Source: ADR 0013
 */
export function readJournal(record: DynamoDBRecord): OrderChange | undefined {
  const image = record.dynamodb?.NewImage
  if (image === undefined || text(image['et']) !== 'JOURNAL') return undefined
  const wake = wakeOf(record)
  if (record.eventName !== 'INSERT' && wake === undefined) return undefined
  const [orderNo, orderRev, from, to] = [
    text(image['orderNo']),
    image['orderRev']?.N,
    text(image['from']),
    text(image['to']),
  ]
  if (to === from) return undefined
  return {
    key: { pk: text(image['pk']), sk: text(image['sk']) },
    ...(wake !== undefined && { wake }),
    failures: Number(image['publishTries']?.N ?? 0),
    detailType: `order.${to.toLowerCase()}`,
    detail: {
      v: 1,
      id: `${orderNo}/${orderRev ?? ''}`,
      orderNo,
      from,
      to,
      at: text(image['at']),
      operatorType: text(image['operatorType']),
      reason: text(image['reason']),
      evidence: text(image['evidence']),
    },
  }
}

/** The request that this record brings: a `wake` that the old image has not. */
function wakeOf({ dynamodb: { NewImage: now, OldImage: before } = {} }: DynamoDBRecord): Instant | undefined {
  const wake = text(now?.['wake'])
  return wake === text(before?.['wake']) ? undefined : parseInstant(wake)
}

const text = (value: AttributeValue | undefined): string => value?.S ?? ''
