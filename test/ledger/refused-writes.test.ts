import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rowExists, rowIsNew } from '../../modules/ledger/table/conditions.ts'
import { makePut, makeUpdate } from '../../modules/ledger/table/make-write.ts'
import { check, put, update } from '../../modules/ledger/table/writes.ts'
import { anInstant } from '../support/core-builders.ts'

const NOW = anInstant()
const task = { pk: `ORDER#${randomUUID()}`, sk: 'TASK#A', et: 'TASK' } as const
const guard = { pk: 'TXN#bank#1', sk: 'GUARD', et: 'GUARD', collection: 'ORDER#1' } as const

describe('an update that touches one attribute twice is refused where it is built', () => {
  it.each<[string, Parameters<typeof makeUpdate>[1]]>([
    ['set and removed', { set: { wake: NOW }, remove: ['wake'] }],
    ['set and raised', { set: { retryCount: 1 }, add: { retryCount: 1 } }],
    ['raised and removed', { add: { publishTries: 1 }, remove: ['publishTries'] }],
    ['removed twice', { remove: ['wake', 'wake'] }],
    ['set once and set', { setOnce: { bizNo: 'A' }, set: { bizNo: 'B' } }],
    ['its revision', { add: { rev: 1 } }],
    ['its key', { set: { sk: 'B' } }],
    ['its time', { set: { updatedAt: NOW } }],
  ])('%s', (_what, change) => {
    const target = 'publishTries' in (change.add ?? {}) ? { ...task, et: 'JOURNAL' as const } : task

    expect(() => makeUpdate(target, change, rowExists)).toThrow(/is written twice/)
  })
})

describe('a write that no reader would take is refused where it is built, and names no value', () => {
  it('with an attribute that its type does not have', () => {
    expect(() => makeUpdate(task, { set: { lockedAtt: NOW } }, rowExists)).toThrow("has no 'lockedAtt'")
    expect(() => makeUpdate(task, { add: { tries: 1 } }, rowExists)).toThrow("has no 'tries'")
    expect(() => makePut({ ...guard, secret: '4111' }, rowIsNew)).toThrow("has no 'secret'")
  })

  it('with a value that is not of its form', () => {
    const wrong = () => makePut({ ...guard, orderNo: 'a b c d 4111' }, rowIsNew)

    expect(wrong).toThrow("'orderNo' is not of its form")
    expect(wrong).not.toThrow(/4111/)
    expect(() => makeUpdate(task, { set: { dueAt: 12_345 } }, rowExists)).toThrow("'dueAt' is not of its form")
  })

  it('without an attribute that every row of its type has', () => {
    expect(() => makePut({ pk: 'TXN#bank#1', sk: 'GUARD', et: 'GUARD' }, rowIsNew)).toThrow("'collection' is missing")
  })

  it('but not for what is undefined: that is not written', () => {
    const orderNo = undefined

    expect(put({ ...guard, orderNo }, rowIsNew).item).toEqual(guard)
    expect(update(task, { set: { wake: undefined } }, rowExists).set).toEqual({})
  })
})

describe('a key that DynamoDB does not take is refused where it is built', () => {
  it.each([
    ['an empty sort key', { pk: 'A', sk: '' }],
    ['a partition key of 1,025 bytes', { pk: 'A'.repeat(1025), sk: 'B' }],
    ['a sort key of 1,026 bytes in 342 letters', { pk: 'A', sk: '单'.repeat(342) }],
  ])('%s', (_what, key) => {
    expect(() => check(key, rowExists)).toThrow(/is (too long for a|no) key/)
    expect(() => makeUpdate({ ...key, et: 'GUARD' }, {}, rowExists)).toThrow(/is (too long for a|no) key/)
  })

  it.each([
    ['empty', ''],
    ['of 1,025 bytes', 'x'.repeat(1025)],
  ])('an index key that is %s', (_what, findSk) => {
    expect(() => update(task, { set: { findSk } }, rowExists)).toThrow(/'findSk' is (too long for a|no) key/)
  })

  it('one of 1,024 bytes is taken', () => {
    expect(check({ pk: 'A'.repeat(1024), sk: 'B'.repeat(1024) }, rowExists).op).toBe('check')
  })
})
