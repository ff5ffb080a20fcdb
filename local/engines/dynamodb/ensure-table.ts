import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { DynamodbEngineError } from './errors.ts'
import { type TableProperties, tablePropertiesSchema } from './table-properties.ts'

/**
 * Makes sure that a table exists and is ACTIVE.
 * @param properties of AWS::DynamoDB::GlobalTable, intrinsics resolved; what has no local meaning is ignored
 * @throws DynamodbEngineError TABLE_DIFFERS when a table of that name has other keys or indexes
 */
export async function ensureTable(client: DynamoDBClient, tableName: string, properties: unknown): Promise<void> {
  const wanted = tablePropertiesSchema.parse(properties)
  const there = await describeTable(client, tableName)
  if (there) return refuseDifference(tableName, wanted, there)
  try {
    await createTable(client, tableName, wanted)
  } catch (error) {
    // Someone else created it just now; it still has to become ACTIVE.
    if (!(error instanceof ResourceInUseException)) throw error
  }
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 0.2 }, { TableName: tableName })
  const ttlAttribute = ttlAttributeOf(wanted)
  if (ttlAttribute !== undefined) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: ttlAttribute }
    await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }))
  }
}

async function createTable(client: DynamoDBClient, tableName: string, wanted: TableProperties): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: wanted.KeySchema,
      AttributeDefinitions: wanted.AttributeDefinitions,
      ...(wanted.GlobalSecondaryIndexes?.length && {
        GlobalSecondaryIndexes: wanted.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
          IndexName,
          KeySchema,
          Projection: {
            ProjectionType: Projection.ProjectionType,
            ...(Projection.NonKeyAttributes && { NonKeyAttributes: Projection.NonKeyAttributes }),
          },
        })),
      }),
      ...(wanted.StreamSpecification && {
        StreamSpecification: { StreamEnabled: true, StreamViewType: wanted.StreamSpecification.StreamViewType },
      }),
    }),
  )
}

/** The attribute by which items expire, when the table has one switched on. */
export function ttlAttributeOf(properties: TableProperties): string | undefined {
  const ttl = properties.TimeToLiveSpecification
  return ttl?.Enabled ? ttl.AttributeName : undefined
}

async function describeTable(client: DynamoDBClient, tableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

interface TableShape {
  KeySchema?: { AttributeName?: string | undefined; KeyType?: string | undefined }[] | undefined
  GlobalSecondaryIndexes?: (TableShape & { IndexName?: string | undefined })[] | undefined
  StreamSpecification?: { StreamViewType?: string | undefined } | undefined
}

function refuseDifference(tableName: string, wanted: TableProperties, there: TableDescription): void {
  if (describeShape(wanted) === describeShape(there)) return
  throw new DynamodbEngineError(
    'TABLE_DIFFERS',
    `Table ${tableName} exists with other keys, indexes or stream than the template has: ` +
      `${describeShape(there)} instead of ${describeShape(wanted)}. Delete the local state and start again.`,
  )
}

function describeShape(table: TableShape): string {
  const keys = table.KeySchema?.map((key) => `${key.KeyType} ${key.AttributeName}`).join(', ')
  const indexes = table.GlobalSecondaryIndexes?.map((index) => `${index.IndexName}: ${describeShape(index)}`) ?? []
  return `(${[keys, ...indexes.sort(), table.StreamSpecification?.StreamViewType].filter(Boolean).join('; ')})`
}
