import { randomUUID } from 'node:crypto'
import { type DynamoDBClient, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, it } from 'vitest'
import { commit, updateOne } from '../../modules/ledger/table/commit.ts'
import { revIs, rowExists, rowIsNew } from '../../modules/ledger/table/conditions.ts'
import { anInstant } from '../support/core-builders.ts'
import { openClient, openLedgerOn, openTestLedger } from '../support/ledger.ts'
import { rawPut, rawUpdate } from '../support/raw-writes.ts'

const { ledger, table, endpoint } = await openTestLedger()
const NOW = anInstant()

const opened: DynamoDBClient[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.destroy()
})

/** A row in the table and an update of it, for a ledger whose calls are noted and whose answers a test may spoil. */
async function aRow() {
  const key = { pk: `TEST#${randomUUID()}`, sk: 'ROW' }
  await commit(ledger, [rawPut({ ...key, text: 'old' }, rowIsNew)], NOW)
  const client = openClient(endpoint)
  opened.push(client)
  const commands: string[] = []
  client.middlewareStack.add(
    (next, context) => (args) => {
      commands.push(String(context.commandName))
      return next(args)
    },
    { step: 'initialize' },
  )
  const update = rawUpdate(key, { set: { text: 'new' } }, revIs(1))
  return { key, client, commands, update, own: openLedgerOn(client, table) }
}

it('one update is written without a transaction', async () => {
  const { own, commands, update } = await aRow()

  const result = await updateOne(own, update, NOW)

  expect(result).toEqual({ kind: 'done' })
  expect(commands).toEqual(['UpdateItemCommand'])
})

it('one update whose condition does not hold is lost, with the row that stood in the way', async () => {
  const { own, update, key } = await aRow()
  await updateOne(own, update, NOW)

  const result = await updateOne(own, update, NOW)

  expect(result).toEqual({
    kind: 'lost',
    losses: [{ write: update, key, arms: ['revIs'], found: { ...key, text: 'new', v: 1, rev: 2, updatedAt: NOW } }],
  })
})

it('one update of a row that is not there is lost without a row', async () => {
  const { own } = await aRow()
  const key = { pk: `TEST#${randomUUID()}`, sk: 'ROW' }

  const result = await updateOne(own, rawUpdate(key, { set: { text: 'new' } }, rowExists), NOW)

  expect(result).toMatchObject({ kind: 'lost', losses: [{ write: { key } }] })
  expect(result.kind === 'lost' && result.losses[0]?.found).toBeUndefined()
})

it('one update that meets a transaction on its row is tried again', async () => {
  const { own, client, update } = await aRow()
  let conflicts = 0
  client.middlewareStack.add(
    (next) => async (args) => {
      if (conflicts++ < 2) throw new TransactionConflictException({ message: 'ongoing', $metadata: {} })
      return next(args)
    },
    { step: 'initialize' },
  )

  expect(await updateOne(own, update, NOW)).toEqual({ kind: 'done' })
  expect(conflicts).toBe(3)
})

it('one update whose answer is lost is lost to its own first try, and written once', async () => {
  const { own, client, update, key } = await aRow()
  let answers = 0
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args)
      if (answers++ === 0) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
      return answer
    },
    { step: 'deserialize', priority: 'low' },
  )

  const result = await updateOne(own, update, NOW)

  expect(result).toMatchObject({ kind: 'lost', losses: [{ found: { ...key, text: 'new', rev: 2 } }] })
})
