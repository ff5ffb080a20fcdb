import { expect, it } from 'vitest'
import type { Call, TableUse } from '../../bench/cost/recording.ts'
import { growthOf } from '../../bench/due-index/growth.ts'
import { unitsOf } from '../../bench/due-index/units-of.ts'

function aCall(use: Partial<TableUse>): Call {
  const usual = { table: 'Ledger', writes: [], transactional: false, engine: { tableUnits: 0, indexUnits: 0 } }
  return {
    service: 'DynamoDB',
    command: 'any',
    requests: 1,
    ok: true,
    endedAt: 1,
    payloadBytes: 0,
    use: { ...usual, ...use },
  }
}

it('a query is rounded up once a page and items one by one; a consistent read costs twice as much', () => {
  const sizes = [3_000, 3_000]
  const query = aCall({ reads: { query: true, consistent: false, sizes } })
  const batch = aCall({ reads: { query: false, consistent: true, sizes } })

  expect(unitsOf([query])).toEqual({ readUnits: 1, writeUnits: 0 })
  expect(unitsOf([batch])).toEqual({ readUnits: 2, writeUnits: 0 })
})

it('writes are summed over table and indexes, and calls to other services cost no units', () => {
  const write = aCall({ transactional: true, engine: { tableUnits: 4, indexUnits: 1 } })
  const { use: _, ...message } = aCall({})

  expect(unitsOf([write, write, message])).toEqual({ readUnits: 0, writeUnits: 10 })
})

it('growth is the last value to the first', () => {
  expect(growthOf([8, 9, 12])).toBe(1.5)
  expect(growthOf([7])).toBe(1)
})

it('growth from nothing is refused', () => {
  expect(() => growthOf([0, 1])).toThrow(RangeError)
  expect(() => growthOf([])).toThrow(RangeError)
})
