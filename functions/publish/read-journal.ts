import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'

/** One change of an order as the bus tells it. Source: design.md 4a, Messages. */
export interface OrderChange {
  readonly detailType: string
  readonly detail: Readonly<Record<string, string | number>>
}

/**
 * The bus event of a new journal row; `undefined` for anything else, and for entries that changed no status (a freeze).
 */
export function readJournal(record: DynamoDBRecord): OrderChange | undefined {
  const image = record.dynamodb?.NewImage
  if (record.eventName !== 'INSERT' || image === undefined || text(image['et']) !== 'JOURNAL') return undefined
  const [orderNo, orderRev, from, to] = [
    text(image['orderNo']),
    image['orderRev']?.N,
    text(image['from']),
    text(image['to']),
  ]
  if (to === from) return undefined
  return {
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

const text = (value: AttributeValue | undefined): string => value?.S ?? ''
