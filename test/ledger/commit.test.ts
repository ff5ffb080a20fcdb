import { randomUUID } from 'node:crypto'
import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_TRIES } from '../../modules/ledger/table/back-off-from-conflict.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { revIs, rowExists, rowIsNew } from '../../modules/ledger/table/conditions.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import { check } from '../../modules/ledger/table/writes.ts'
import { anInstant } from '../support/core-builders.ts'
import { openClient, openLedgerOn, openTestLedger } from '../support/ledger.ts'
import { rawPut, rawUpdate } from '../support/raw-writes.ts'

const { ledger, table, endpoint } = await openTestLedger()
const NOW = anInstant()

const aKey = () => ({ pk: `TEST#${randomUUID()}`, sk: 'ROW' })
type Key = ReturnType<typeof aKey>

const put = (key: Key, more: { optional?: boolean; text?: string } = {}): Write => {
  const { optional, text = 'new' } = more
  return { ...rawPut({ ...key, text }, rowIsNew), ...(optional !== undefined && { optional }) }
}

const read = async (Key: Key) =>
  (await ledger.client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }))).Item

const opened: DynamoDBClient[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.destroy()
})

/** A ledger of its own client, whose answers a test may spoil. */
function aLedgerOfItsOwn() {
  const client = openClient(endpoint)
  opened.push(client)
  return { client, own: openLedgerOn(client, table) }
}

/** What DynamoDB says when transactions touched the same rows. */
function conflict() {
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict', Message: 'Transaction is ongoing' }],
  })
}

describe('a transaction whose conditions hold', () => {
  it('is done: every row written, with version, revision and time', async () => {
    const [a, b] = [aKey(), aKey()]

    const result = await commit(ledger, [put(a), put(b)], NOW)

    expect(result).toEqual({ kind: 'done' })
    expect(await read(a)).toEqual({ ...a, text: 'new', v: 1, rev: 1, updatedAt: NOW })
    expect(await read(b)).toBeDefined()
  })

  it('raises the revision of what it updates', async () => {
    const key = aKey()
    await commit(ledger, [put(key)], NOW)

    await commit(ledger, [rawUpdate(key, { set: { text: 'more' }, add: { n: 2 } }, revIs(1))], NOW)

    expect(await read(key)).toMatchObject({ text: 'more', n: 2, rev: 2 })
  })
})

describe('a transaction of which one condition does not hold', () => {
  it('is lost, with the row that stood in the way, and nothing is written', async () => {
    const [free, held] = [aKey(), aKey()]
    await commit(ledger, [put(held, { text: 'theirs' })], NOW)
    const writes = [put(free), put(held)]

    const result = await commit(ledger, writes, NOW)

    expect(result).toEqual({
      kind: 'lost',
      losses: [{ write: writes[1], key: held, arms: ['rowIsNew'], found: expect.objectContaining({ text: 'theirs' }) }],
    })
    expect(await read(free)).toBeUndefined()
  })

  it('is lost without a row when there is none', async () => {
    const key = aKey()

    const result = await commit(ledger, [check(key, rowExists), put(aKey())], NOW)

    expect(result).toMatchObject({ kind: 'lost', losses: [{ write: { op: 'check' } }] })
    expect(result.kind === 'lost' && result.losses[0]?.found).toBeUndefined()
  })

  it('names each of several', async () => {
    const [a, b] = [aKey(), aKey()]
    await commit(ledger, [put(a), put(b)], NOW)

    const result = await commit(ledger, [put(a), put(aKey()), put(b)], NOW)

    expect(result.kind === 'lost' && result.losses.map(({ found }) => found?.['pk'])).toEqual([a.pk, b.pk])
  })
})

describe('a follow-up that exists already', () => {
  it('is left out and the rest is done', async () => {
    const [main, there, fresh] = [aKey(), aKey(), aKey()]
    await commit(ledger, [put(there, { text: 'first' })], NOW)

    const result = await commit(
      ledger,
      [put(there, { optional: true }), put(main), put(fresh, { optional: true })],
      NOW,
    )

    expect(result).toEqual({ kind: 'done' })
    expect(await read(there)).toMatchObject({ text: 'first', rev: 1 })
    expect(await read(main)).toBeDefined()
    expect(await read(fresh)).toBeDefined()
  })

  it('does not hide that something else was lost', async () => {
    const [main, there] = [aKey(), aKey()]
    await commit(ledger, [put(main), put(there)], NOW)

    const result = await commit(ledger, [put(main), put(there, { optional: true })], NOW)

    expect(result.kind).toBe('lost')
  })

  it('is done when nothing else was to be written', async () => {
    const there = aKey()
    await commit(ledger, [put(there)], NOW)

    expect(await commit(ledger, [put(there, { optional: true })], NOW)).toEqual({ kind: 'done' })
  })
})

describe('a transaction that meets others on the same rows', () => {
  it('is tried again and done', async () => {
    const { client, own } = aLedgerOfItsOwn()
    const key = aKey()
    let conflicts = 0
    client.middlewareStack.add(
      (next) => async (args) => {
        if (conflicts++ < 2) throw conflict()
        return next(args)
      },
      { step: 'initialize' },
    )

    const result = await commit(own, [put(key), put(aKey())], NOW)

    expect(result).toEqual({ kind: 'done' })
    expect(conflicts).toBe(3)
    expect(await read(key)).toMatchObject({ rev: 1 })
  })

  it('is a conflict after the last try, each under a token of its own', async () => {
    const { own } = aLedgerOfItsOwn()
    const mock = mockClient(own.client)
    mock.on(TransactWriteCommand).rejects(conflict())

    const result = await commit(own, [put(aKey()), put(aKey())], NOW)

    expect(result).toEqual({ kind: 'conflict' })
    const tokens = mock.commandCalls(TransactWriteCommand).map(({ args }) => args[0].input.ClientRequestToken)
    expect(new Set(tokens).size).toBe(MAX_TRIES)
  })
})

describe('a transaction that is itself wrong', () => {
  it('is a bug when DynamoDB refuses a key', async () => {
    const result = await commit(ledger, [put({ pk: `TEST#${randomUUID()}`, sk: '' })], NOW)

    expect(result).toEqual({ kind: 'bug', message: expect.stringMatching(/./) })
  })

  it('is a bug when it has more than 100 items', async () => {
    const result = await commit(
      ledger,
      Array.from({ length: 101 }, () => put(aKey())),
      NOW,
    )

    expect(result.kind).toBe('bug')
  })

  it('is a bug when it touches one row twice', async () => {
    const key = aKey()

    const result = await commit(ledger, [put(key), check(key, rowIsNew)], NOW)

    expect(result.kind).toBe('bug')
    expect(await read(key)).toBeUndefined()
  })
})

describe('a transaction whose answer is lost', () => {
  /** Lets requests through and drops the first `count` answers, below the SDK's own tries. */
  function dropAnswers(client: DynamoDBClient, count: number): string[] {
    const sent: string[] = []
    client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        sent.push(JSON.stringify(args.input))
        if (sent.length <= count) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
        return answer
      },
      { step: 'deserialize', priority: 'low' },
    )
    return sent
  }

  it('is sent again as the same transaction and done once', async () => {
    const { client, own } = aLedgerOfItsOwn()
    const key = aKey()
    await commit(ledger, [put(key)], NOW)
    const sent = dropAnswers(client, 1)

    const result = await commit(own, [rawUpdate(key, { set: { text: 'mine' } }, revIs(1))], NOW)

    expect(result).toEqual({ kind: 'done' })
    expect(sent).toHaveLength(2)
    expect(sent[0]).toContain('ClientRequestToken')
    expect(sent[1]).toBe(sent[0])
    expect(await read(key)).toMatchObject({ text: 'mine', rev: 2 })
  })

  it('is an error when no answer comes at all: whoever comes again meets the conditions', async () => {
    const { client, own } = aLedgerOfItsOwn()
    const key = aKey()
    dropAnswers(client, 3)

    await expect(commit(own, [put(key, { text: 'mine' })], NOW)).rejects.toThrow('socket hang up')

    const again = await commit(ledger, [put(key)], NOW)
    expect(again).toMatchObject({ kind: 'lost', losses: [{ found: { text: 'mine' } }] })
  })
})
