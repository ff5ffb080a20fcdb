import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { z } from 'zod'
import { ensureTable } from '../local/engines/dynamodb/ensure-table.ts'
import { startDynamodb } from '../local/engines/dynamodb/start-dynamodb.ts'
import { synthesizeTemplate } from '../local/host/synthesize.ts'
import type { Ledger } from '../modules/ledger/table/client.ts'

const ROOT = resolve(import.meta.dirname, '..')
const keySchema = z.object({ KeySchema: z.array(z.object({ AttributeName: z.string() })) })
/** Memory, where the system has a folder of it: a benchmark must not measure the disk. */
const MEMORY = '/dev/shm'
/** BatchWriteItem takes this many items at most. */
const BATCH = 25
const LOADERS = 4

/** The ledger's and the gate's table, as the template has them, on an engine of the benchmark's own. */
export interface BenchTables {
  readonly ledgerTable: string
  readonly gateTable: string
  openClient(): DynamoDBClient
  stop(): Promise<void>
}

export async function openBenchTables(): Promise<BenchTables> {
  const template = await synthesizeTemplate({ cacheDir: join(ROOT, '.backstop/cache') })
  const stateDir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'backstop-bench-'))
  const engine = await startDynamodb({ stateDir, env: {} })
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const openClient = () =>
    new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials, maxAttempts: 3 })
  const [ledgerTable, gateTable] = ['Ledger', 'Gate']
  const client = openClient()
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (Type !== 'AWS::DynamoDB::GlobalTable') continue
    const { KeySchema } = keySchema.parse(Properties)
    await ensureTable(client, KeySchema[0]?.AttributeName === 'lane' ? gateTable : ledgerTable, Properties)
  }
  client.destroy()
  return {
    ledgerTable,
    gateTable,
    openClient,
    stop: async () => {
      await engine.stop()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

/** The ledger on a client at hand, with the options of `modules/ledger/table/client.ts`. */
export function ledgerOn(client: DynamoDBClient, table: string): Ledger {
  return { client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), table }
}

/** Writes rows as they are, past all conditions. @throws Error when the engine leaves some out */
export async function loadRows({ client, table }: Ledger, rows: Iterable<Record<string, unknown>>): Promise<void> {
  const source = rows[Symbol.iterator]()
  const load = async () => {
    for (let batch = takeFrom(source, BATCH); batch.length > 0; batch = takeFrom(source, BATCH)) {
      const puts = batch.map((Item) => ({ PutRequest: { Item } }))
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }))
      if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error('The engine left rows of a batch out.')
    }
  }
  await Promise.all(Array.from({ length: LOADERS }, load))
}

function takeFrom<T>(source: Iterator<T>, count: number): readonly T[] {
  const taken: T[] = []
  while (taken.length < count) {
    const { value, done } = source.next()
    if (done === true) break
    taken.push(value)
  }
  return taken
}
