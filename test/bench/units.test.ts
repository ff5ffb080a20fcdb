import { describe, expect, it } from 'vitest'
import type { Item } from '../../bench/cost/item-size.ts'
import { indexUnits, queryUnits, readUnits, sqsRequests, writeUnits } from '../../bench/cost/units.ts'

const KB = 1024

/** An item of exactly so many bytes. */
const anItemOf = (bytes: number): Item => ({ text: { S: 'x'.repeat(bytes - 'text'.length) } })

const aRow = (more: Readonly<Record<string, string>> = {}): Item => ({
  pk: { S: 'ORDER#1' },
  sk: { S: 'ORDER' },
  ...Object.fromEntries(Object.entries(more).map(([name, text]) => [name, { S: text }])),
})

describe('a write costs', () => {
  it.each([
    [1, 1],
    [KB, 1],
    [KB + 1, 2],
    [8 * KB, 8],
  ])('for %i bytes %i units', (bytes, units) => {
    expect(writeUnits(undefined, anItemOf(Math.max(bytes, 5)), false)).toBe(units)
  })

  it('twice as many in a transaction', () => {
    expect(writeUnits(undefined, anItemOf(KB + 1), true)).toBe(4)
  })

  it('by the larger one of both images', () => {
    expect(writeUnits(anItemOf(3 * KB), anItemOf(100), false)).toBe(3)
    expect(writeUnits(anItemOf(100), anItemOf(3 * KB), false)).toBe(3)
  })

  it('one unit where there is no item: a condition was checked all the same', () => {
    expect(writeUnits(undefined, undefined, true)).toBe(2)
  })
})

describe('an index costs', () => {
  it('one unit for an entry that comes, and one for an entry that goes', () => {
    const entry = aRow({ duePk: 'D#01', dueAt: '2026-11-30' })

    expect(indexUnits(undefined, entry)).toEqual({ due: 1, find: 0 })
    expect(indexUnits(entry, aRow())).toEqual({ due: 1, find: 0 })
  })

  it('two units for an entry whose key changes: it is deleted and put', () => {
    const before = aRow({ duePk: 'D#01', dueAt: '2026-11-30' })
    const after = aRow({ duePk: 'D#01', dueAt: '2026-12-01' })

    expect(indexUnits(before, after)).toEqual({ due: 2, find: 0 })
  })

  it('nothing while the entry stays as it is, whatever else changes', () => {
    const before = aRow({ duePk: 'D#01', dueAt: '2026-11-30', status: 'WAITING' })
    const after = aRow({ duePk: 'D#01', dueAt: '2026-11-30', status: 'RETRY' })

    expect(indexUnits(before, after)).toEqual({ due: 0, find: 0 })
  })

  it('nothing for an item with only half of its key', () => {
    expect(indexUnits(undefined, aRow({ duePk: 'D#01' }))).toEqual({ due: 0, find: 0 })
  })
})

describe('a read costs', () => {
  it('of items read one by one, each rounded up to 4 KB', () => {
    expect(readUnits([1, 4 * KB, 4 * KB + 1], true)).toBe(1 + 1 + 2)
  })

  it('a unit also for a key without an item', () => {
    expect(readUnits([0, 0], true)).toBe(2)
  })

  it('of a query all items together, rounded up once', () => {
    expect(queryUnits([3 * KB, 3 * KB], true)).toBe(2)
    expect(queryUnits([], true)).toBe(1)
  })

  it('half when it need not be consistent', () => {
    expect(queryUnits([3 * KB, 3 * KB], false)).toBe(1)
    expect(readUnits([0], false)).toBe(0.5)
  })
})

it.each([
  [0, 1],
  [64 * KB, 1],
  [64 * KB + 1, 2],
])('a queue counts for %i bytes %i requests', (bytes, requests) => {
  expect(sqsRequests(bytes)).toBe(requests)
})
