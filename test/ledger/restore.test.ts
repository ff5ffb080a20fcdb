import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { listTasks } from '../../modules/ledger/read/list-tasks.ts'
import { dueShards, readDue } from '../../modules/ledger/read/read-due.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openClient, openLedgerOn, openTestLedger } from '../support/ledger.ts'
import { fileOf, paid, putPayingOrder } from '../support/ledger-builders.ts'
import { readWholeTable } from '../support/whole-table.ts'
import { openWorld, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const { ledger, endpoint, table } = await openTestLedger()
const client = openClient(endpoint)

it('a restored copy of the ledger has the same files, due rows and lists, and its open tasks go on from it', async () => {
  const world = await openWorld()
  const [delivered, open, wrong, paying] = await Promise.all([1, 2, 3, 4].map(() => putPayingOrder(world)))
  if (delivered === undefined || open === undefined || wrong === undefined || paying === undefined)
    throw new TypeError()
  for (const orderNo of [delivered, open]) await world.take(aCallback(paid(orderNo)))
  await world.take(aCallback(paid(wrong, { amount: 1 })))
  await runWhenDue(world, delivered, 'DELIVER')

  const restored = await restore('Restored')
  const after = worldOn(restored, world.clock, world.merchant)

  for (const orderNo of [delivered, open, wrong, paying]) {
    expect(await fileOf(after, orderNo)).toEqual(await fileOf(world, orderNo))
  }
  const later = plusMs(world.clock.now(), 365 * 86_400_000)
  const due = await dueIn(restored, later)
  expect(due.length).toBeGreaterThan(3)
  expect(due).toEqual(await dueIn(ledger, later))
  const tickets = { status: 'MANUAL', lanes: ['bank', 'merchant', 'internal'], limit: 100 } as const
  const listed = await listTasks(restored, tickets)
  expect(listed.tasks).toHaveLength(1)
  expect(listed).toEqual(await listTasks(ledger, tickets))
  await runWhenDue(after, open, 'DELIVER')
  expect((await fileOf(after, open)).order?.status).toBe('DELIVERED')
  expect((await fileOf(world, open)).order?.status).toBe('PAID')
})

/** A new table with every row of the ledger, last ones first: a restore keeps no order of writes. */
async function restore(name: string): Promise<Ledger> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  await ensureTable(client, name, {
    KeySchema: Table?.KeySchema,
    AttributeDefinitions: Table?.AttributeDefinitions,
    GlobalSecondaryIndexes: Table?.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
    BillingMode: 'PAY_PER_REQUEST',
  })
  const restored = openLedgerOn(client, name)
  const rows = await readWholeTable(ledger)
  for (const Item of rows.toReversed()) await restored.client.send(new PutCommand({ TableName: name, Item }))
  expect(await readWholeTable(restored)).toEqual(rows)
  return restored
}

async function dueIn(of: Ledger, now: Parameters<typeof readDue>[2]): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const shard of dueShards) for await (const { keys } of readDue(of, shard, now)) found.push(...keys)
  return found
}
