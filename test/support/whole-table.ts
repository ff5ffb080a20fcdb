import { BatchWriteCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { Ledger } from '../../modules/ledger/table/client.ts'

type Item = Readonly<Record<string, unknown>>

const keyOf = ({ pk, sk }: Item): string => `${pk}\n${sk}`

/** Every item of the table, in the order of their keys. */
export async function readWholeTable({ client, table }: Ledger): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    items.push(...Items)
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** BatchWriteItem takes this many at most. */
const BATCH = 25

/** Takes every item away, so that a story can be told again under the same names. */
export async function emptyTable(ledger: Ledger): Promise<void> {
  const items = await readWholeTable(ledger)
  const requests = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }))
  for (let from = 0; from < requests.length; from += BATCH) {
    const RequestItems = { [ledger.table]: requests.slice(from, from + BATCH) }
    await ledger.client.send(new BatchWriteCommand({ RequestItems }))
  }
}

/** The same text for the same content, in whatever order its fields come. */
export function canonicalText(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}
