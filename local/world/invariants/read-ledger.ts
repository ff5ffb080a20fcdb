import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { isKnown, type Row, readRow } from '../../../modules/ledger/table/rows.ts'
import { localDynamodb } from '../../host/local-client.ts'
import type { LocalStack } from '../../host/stack.ts'

/** Every row of the ledger that this release knows, in one consistent scan: for checks on this machine, never in a handler. */
export async function readLedger(stack: LocalStack): Promise<readonly Row[]> {
  const client = DynamoDBDocumentClient.from(localDynamodb(stack.dynamodbEndpoint))
  const rows: Row[] = []
  for await (const page of paginateScan(
    { client },
    { TableName: stack.resolve('Ledger/Table'), ConsistentRead: true },
  )) {
    rows.push(...(page.Items ?? []).filter(isKnown).map(readRow))
  }
  client.destroy()
  return rows
}
