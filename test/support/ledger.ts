import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, inject } from 'vitest'
import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import { startDynamodb } from '../../local/engines/dynamodb/start-dynamodb.ts'
import { parseTemplate } from '../../local/host/template/template.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'

export interface TestLedger {
  readonly ledger: Ledger
  readonly table: string
  readonly endpoint: string
}

const TABLE = 'Ledger'
let opened: Promise<TestLedger> | undefined

/**
 * The ledger's table, as the template has it, on an engine of this test file's own; the same one for each call in the file.
 * It is never emptied: tests keep apart by order numbers of their own (`aFreshOrderNo`).
 * Called at the top of a test file, since it stops the engine after the file's last test.
 */
export function openTestLedger(): Promise<TestLedger> {
  opened ??= open()
  return opened
}

async function open(): Promise<TestLedger> {
  const stateDir = mkdtempSync(join(inject('ledgerStates'), 'ledger-'))
  const engine = await startDynamodb({ stateDir, env: {} })
  const { endpoint } = engine
  const client = openClient(endpoint)
  afterAll(async () => {
    opened = undefined
    client.destroy()
    await engine.stop()
    rmSync(stateDir, { recursive: true, force: true })
  })
  await ensureTable(client, TABLE, ledgerProperties())
  return { ledger: openLedgerOn(client, TABLE), table: TABLE, endpoint }
}

/** A client of a test engine with time for a busy machine; a test that breaks one by middleware takes its own. */
export function openClient(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 3 })
}

/** The ledger on a client at hand, with the options of `modules/ledger/table/client.ts`. */
export function openLedgerOn(client: DynamoDBClient, table: string): Ledger {
  return { client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), table }
}

function ledgerProperties(): unknown {
  const template = parseTemplate(JSON.parse(readFileSync(inject('ledgerTemplate'), 'utf8')))
  const [table] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable')
  if (table === undefined) throw new Error('The synthesized ledger has no table.')
  return table.Properties
}
