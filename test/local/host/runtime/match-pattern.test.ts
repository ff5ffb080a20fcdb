import { describe, expect, it } from 'vitest'
import { checkPattern, matchesPattern } from '../../../../local/host/runtime/match-pattern.ts'
import type { Json, JsonObject } from '../../../../local/host/template/json.ts'

const insert: Json = {
  eventName: 'INSERT',
  dynamodb: { NewImage: { et: { S: 'TASK' }, wake: { S: '2026-11-30T00:00:00.000Z' } } },
}

describe('an event pattern', () => {
  it.each<[string, JsonObject, Json, boolean]>([
    ['one of several values', { eventName: ['INSERT', 'MODIFY'] }, insert, true],
    ['another value', { eventName: ['REMOVE'] }, insert, false],
    ['a nested attribute', { dynamodb: { NewImage: { et: { S: ['TASK'] } } } }, insert, true],
    ['an attribute that is there', { dynamodb: { NewImage: { wake: { S: [{ exists: true }] } } } }, insert, true],
    ['an attribute that is not', { dynamodb: { NewImage: { dueAt: { S: [{ exists: true }] } } } }, insert, false],
    ['the absence of one', { dynamodb: { OldImage: { wake: { S: [{ exists: false }] } } } }, insert, true],
    [
      'the absence of one that is there',
      { dynamodb: { NewImage: { wake: { S: [{ exists: false }] } } } },
      insert,
      false,
    ],
    ['a prefix', { a: [{ prefix: 'ab' }] }, { a: 'abc' }, true],
    ['another prefix', { a: [{ prefix: 'b' }] }, { a: 'abc' }, false],
    ['a suffix', { a: [{ suffix: 'bc' }] }, { a: 'abc' }, true],
    ['any case', { a: [{ 'equals-ignore-case': 'ABC' }] }, { a: 'abc' }, true],
    ['a wildcard', { a: [{ wildcard: 'a*c.txt' }] }, { a: 'abbc.txt' }, true],
    ['a wildcard with a dot that is no wildcard', { a: [{ wildcard: 'a.c' }] }, { a: 'abc' }, false],
    ['anything but the value', { a: [{ 'anything-but': 'x' }] }, { a: 'x' }, false],
    ['anything but the list', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'z' }, true],
    ['anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xz' }, false],
    ['anything but a value that is missing', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['a number in a range', { a: [{ numeric: ['>', 1, '<=', 5] }] }, { a: 5 }, true],
    ['a number out of it', { a: [{ numeric: ['>', 1, '<=', 5] }] }, { a: 6 }, false],
    ['a number written as text', { a: [{ numeric: ['=', 5] }] }, { a: '5' }, false],
    ['null', { a: [null] }, { a: null }, true],
    ['an element of a list', { a: ['x'] }, { a: ['y', 'x'] }, true],
    ['either of two patterns', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: 'y' }, true],
    ['both of two fields', { a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
  ])('asks for %s', (_what, pattern, event, expected) => {
    expect(matchesPattern(pattern, event)).toBe(expected)
  })

  it('is refused with an operator that is not known here', () => {
    expect(() => checkPattern({ a: [{ cidr: '10.0.0.0/8' }] })).toThrow('unknown operator')
    expect(() => checkPattern({ a: 'x' })).toThrow('needs a list or an object at a')
  })
})
