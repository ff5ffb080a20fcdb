import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'

const dynamodb = new DynamoDBClient({})

/** Stores each message as an item; the poison one is reported as failed, in whatever batch it is. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
  for (const record of event.Records) {
    if (record.body === 'poison') {
      batchItemFailures.push({ itemIdentifier: record.messageId })
      continue
    }
    const Item = { pk: { S: record.body }, at: { S: new Date().toISOString() } }
    await dynamodb.send(new PutItemCommand({ TableName: process.env['TABLE'], Item }))
  }
  return { batchItemFailures }
}
