import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { ensureTable } from '../../../../local/engines/dynamodb/ensure-table.ts'
import { startDynamodb } from '../../../../local/engines/dynamodb/start-dynamodb.ts'

// A process of its own for the kill tests: starts the engine, writes until it is killed, reports each answer.
const { endpoint } = await startDynamodb({ stateDir: process.argv[2] ?? '', env: {} })
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
await ensureTable(client, 'Ledger', {
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
})
for (let n = 1; ; n++) {
  await client.send(new PutItemCommand({ TableName: 'Ledger', Item: { pk: { S: String(n) } } }))
  process.stdout.write(`${n}\n`)
}
