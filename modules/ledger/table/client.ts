import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** The ledger table and the client that talks to it. */
export interface Ledger {
  readonly client: DynamoDBDocumentClient
  readonly table: string
}

/**
 * Opens the ledger for the life of a Lambda environment. Time limits are explicit because the SDK has none of its own
 * (the SDK's `requestTimeout` only warns unless told to throw); four tries end well within every handler's limit.
 */
export function openLedger(table: string): Ledger {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true },
  })
  return {
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    table,
  }
}
