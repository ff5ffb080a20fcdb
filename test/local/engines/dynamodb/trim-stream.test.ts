import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { ensureTable } from '../../../../local/engines/dynamodb/ensure-table.ts'
import { openStream } from '../../../../local/engines/dynamodb/open-stream.ts'
import { startDynamodb } from '../../../../local/engines/dynamodb/start-dynamodb.ts'
import { trimStream } from '../../../../local/engines/dynamodb/trim-stream.ts'
import { clientFor, ledgerProperties, makeStateDir } from './ledger-table.ts'

const stateDir = makeStateDir()
const statePath = join(stateDir, 'positions.sqlite')
const dayMs = 24 * 60 * 60 * 1000
afterAll(() => rmSync(stateDir, { recursive: true }))

async function putItems(endpoint: string, sks: string[]): Promise<void> {
  for (const sk of sks) {
    const item = { pk: { S: 'ORDER#1' }, sk: { S: sk } }
    await clientFor(endpoint).send(new PutItemCommand({ TableName: 'Ledger', Item: item }))
  }
}

async function handle(endpoint: string, consumer: string, max: number): Promise<string[]> {
  const reader = openStream({ endpoint, tableName: 'Ledger', statePath, consumer })
  const records = await reader.read(max)
  reader.commit()
  reader.close()
  return records.map((record) => record.dynamodb.SequenceNumber)
}

it('records that every consumer has handled go after a day, and the stream counts on', async () => {
  const dbPath = join(stateDir, 'dynamodb.sqlite')
  const first = await startDynamodb({ stateDir, env: {} })
  await ensureTable(clientFor(first.endpoint), 'Ledger', ledgerProperties)
  await putItems(first.endpoint, ['1', '2', '3', '4', '5'])
  await handle(first.endpoint, 'publish', 3)
  await handle(first.endpoint, 'dispatch', 5)
  await first.stop()

  const young = trimStream(dbPath, statePath, Date.now() + dayMs - 60_000)
  const handledByBoth = trimStream(dbPath, statePath, Date.now() + dayMs + 60_000)
  const second = await startDynamodb({ stateDir, positionsPath: statePath, env: {} })
  const unhandled = await handle(second.endpoint, 'publish', 10)
  await second.stop()
  const allButNewest = trimStream(dbPath, statePath, Date.now() + dayMs + 60_000)
  const third = await startDynamodb({ stateDir, env: {} })
  await putItems(third.endpoint, ['6'])
  const counted = [await handle(third.endpoint, 'publish', 10), await handle(third.endpoint, 'newcomer', 10)]
  await third.stop()

  expect([young, handledByBoth, allButNewest]).toEqual([0, 3, 1])
  expect(unhandled).toEqual(['4', '5'])
  expect(counted).toEqual([['6'], ['5', '6']])
})
