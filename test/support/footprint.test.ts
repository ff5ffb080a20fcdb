import { describe, expect, it } from 'vitest'
import { commute, footprintOf, type Touch } from './footprint.ts'

const order = { pk: 'ORDER#1', sk: 'ORDER' }
const line = { pk: 'ORDER#1', sk: 'LINE#01' }
const guard = { pk: 'TXN#bank#1', sk: 'GUARD' }
const reads = (key: typeof order): Touch => ({ ...key, writes: false })
const writes = (key: typeof order): Touch => ({ ...key, writes: true })

const transaction = {
  TransactItems: [
    { Put: { TableName: 'Ledger', Item: { ...guard, et: 'GUARD' } } },
    { Update: { TableName: 'Ledger', Key: order, UpdateExpression: 'SET a = :a' } },
    { Delete: { TableName: 'Ledger', Key: line } },
    { ConditionCheck: { TableName: 'Ledger', Key: { ...order, sk: 'TASK#1' } } },
  ],
}

describe('what a call touches', () => {
  it('a transaction writes its items and reads what it only checks', () => {
    expect(footprintOf('TransactWriteItemsCommand', transaction, false)).toEqual(
      expect.arrayContaining([writes(guard), writes(order), writes(line), reads({ ...order, sk: 'TASK#1' })]),
    )
  })

  it('a transaction that a condition refused has read all of them', () => {
    const touches = footprintOf('TransactWriteItemsCommand', transaction, true)

    expect(touches).toHaveLength(4)
    expect(touches.filter((touch) => touch.writes)).toEqual([])
  })

  it('an update writes its row, and reads it when it was refused', () => {
    const input = { TableName: 'Ledger', Key: order, UpdateExpression: 'SET a = :a' }

    expect(footprintOf('UpdateItemCommand', input, false)).toEqual([writes(order)])
    expect(footprintOf('UpdateItemCommand', input, true)).toEqual([reads(order)])
  })

  it('a BatchGetItem reads its rows, a Query the whole collection', () => {
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'ORDER#1' } }

    expect(footprintOf('BatchGetItemCommand', { RequestItems: { Ledger: { Keys: [order, guard] } } }, false)).toEqual([
      reads(order),
      reads(guard),
    ])
    expect(footprintOf('QueryCommand', query, false)).toEqual([{ pk: 'ORDER#1', writes: false }])
  })

  it('one code stands for its pool', () => {
    const input = { TableName: 'Ledger', Key: { pk: 'CODE#SKU-1', sk: 'FREE#a' }, UpdateExpression: 'SET a = :a' }

    expect(footprintOf('UpdateItemCommand', input, false)).toEqual([{ pk: 'CODE#SKU-1', writes: true }])
  })

  it.each([
    ['a scan', 'ScanCommand', {}],
    ['an index', 'QueryCommand', { IndexName: 'due', KeyConditionExpression: 'duePk = :shard' }],
    ['a transaction with something new', 'TransactWriteItemsCommand', { TransactItems: [{ Upsert: { Key: order } }] }],
  ])('is not guessed of %s', (_name, command, input) => {
    expect(() => footprintOf(command, input, false)).toThrow()
  })
})

it.each<[string, Touch, Touch, boolean]>([
  ['two readers of a row', reads(order), reads(order), true],
  ['a writer and a reader of a row', writes(order), reads(order), false],
  ['two writers of a row', writes(order), writes(order), false],
  ['writers of two rows of a collection', writes(order), writes(line), true],
  ['a writer of a row and a reader of its collection', writes(order), { pk: 'ORDER#1', writes: false }, false],
  ['a writer of a row and a reader of another collection', writes(order), { pk: 'ORDER#2', writes: false }, true],
])('two calls, %s', (_name, one, other, expected) => {
  expect(commute([one], [other])).toBe(expected)
  expect(commute([other], [one])).toBe(expected)
})
