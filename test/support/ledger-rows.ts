import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Ledger } from '../../modules/ledger/table/client.ts'

/** The items of one collection as they stand in the table, whatever they are. */
export async function readCollectionRows({ client, table }: Ledger, pk: string): Promise<Record<string, unknown>[]> {
  const answer = await client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    }),
  )
  return answer.Items ?? []
}

/** Everything that items hold as one text, bytes included as they are, to look for what must not be in it. */
export function writtenOut(items: readonly unknown[]): string {
  return JSON.stringify(items, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}
