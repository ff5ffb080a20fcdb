import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../host/clock/clock.ts'

/**
 * Deletes the items whose time to live has passed, as DynamoDB does by itself within days.
 * @param ttlAttribute a number of seconds since the epoch; items without it, or with another type, stay
 * @returns how many items were deleted
 */
export async function sweepExpired(
  client: DynamoDBClient,
  tableName: string,
  ttlAttribute: string,
  clock: Clock,
): Promise<number> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
  const keyNames = Table?.KeySchema?.map((key) => key.AttributeName ?? '') ?? []
  const expired = {
    ExpressionAttributeNames: { '#ttl': ttlAttribute },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(clock.now() / 1000)) } },
  }
  const pages = paginateScan({ client }, { TableName: tableName, FilterExpression: '#ttl < :now', ...expired })
  let deleted = 0
  for await (const page of pages) {
    for (const item of page.Items ?? []) {
      // The item may have been given a later time since the scan saw it.
      const condition = { ConditionExpression: '#ttl < :now', ...expired }
      if (await deleteItem(client, tableName, pickKey(item, keyNames), condition)) deleted++
    }
  }
  return deleted
}

function pickKey(item: Record<string, AttributeValue>, keyNames: string[]): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => keyNames.includes(name)))
}

async function deleteItem(
  client: DynamoDBClient,
  tableName: string,
  key: Record<string, AttributeValue>,
  condition: { ConditionExpression: string; ExpressionAttributeNames: Record<string, string> },
): Promise<boolean> {
  try {
    await client.send(new DeleteItemCommand({ TableName: tableName, Key: key, ...condition }))
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
