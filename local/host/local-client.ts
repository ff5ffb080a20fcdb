import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** A client of the local stack's DynamoDB, for what looks at its tables from outside. */
export function localDynamodb(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
}
