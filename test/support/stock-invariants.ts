import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { stockFaults } from '../../local/world/invariants/stock-faults.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { isKnown, type Row, readRow } from '../../modules/ledger/table/rows.ts'

/** What is wrong with the stock of a test's ledger. A scan is no snapshot: ask while nothing is being written. */
export async function findStockFaults(ledger: Ledger): Promise<readonly string[]> {
  return stockFaults(await readAllRows(ledger))
}

async function readAllRows({ client, table }: Ledger): Promise<readonly Row[]> {
  const rows: Row[] = []
  let startKey: Record<string, unknown> | undefined
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
      }),
    )
    rows.push(...(page.Items ?? []).filter(isKnown).map(readRow))
    startKey = page.LastEvaluatedKey
  } while (startKey !== undefined)
  return rows
}
