import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { Key } from '../../modules/ledger/table/keys.ts'

const image = (item: object) => marshall(item) as Record<string, AttributeValue>

/** A new row as the stream shows it. */
export const inserted = (item: object, number = '1'): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: number, NewImage: image(item) },
})

/** A row's change as the stream shows it. */
export const modified = (before: object, after: object): DynamoDBRecord => ({
  eventName: 'MODIFY',
  dynamodb: { SequenceNumber: '1', OldImage: image(before), NewImage: image(after) },
})

/** A row as it stands, with everything that its schema may not know. */
export async function rowAt({ client, table }: Ledger, { pk, sk }: Key): Promise<Record<string, unknown>> {
  const { Item } = await client.send(new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true }))
  if (Item === undefined) throw new RangeError(`There is no row ${pk} / ${sk}.`)
  return Item
}
