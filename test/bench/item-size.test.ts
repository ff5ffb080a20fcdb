import { describe, expect, it } from 'vitest'
import { itemBytes } from '../../bench/cost/item-size.ts'

describe('an item has the bytes that DynamoDB counts', () => {
  it('of names and texts in UTF-8, so that a Chinese character is three', () => {
    expect(itemBytes({ pk: { S: 'ORDER#1' } })).toBe(2 + 7)
    expect(itemBytes({ 名: { S: '支付' } })).toBe(3 + 6)
  })

  it.each([
    ['0', 1],
    ['7', 2],
    ['8800', 2],
    ['12345', 4],
    ['-12345', 5],
    ['0.0025', 2],
    ['9007199254740991', 9],
  ])('of the number %s in its significant digits, two a byte', (text, bytes) => {
    expect(itemBytes({ n: { N: text } })).toBe(1 + bytes)
  })

  it('of binary as its bytes, whether it comes in base64 or as they are', () => {
    expect(itemBytes({ b: { B: Buffer.from('four').toString('base64') } })).toBe(1 + 4)
    expect(itemBytes({ b: { B: new Uint8Array(4) } })).toBe(1 + 4)
  })

  it('of one for a truth value and for null', () => {
    expect(itemBytes({ a: { BOOL: false }, b: { NULL: true } })).toBe(1 + 1 + 1 + 1)
  })

  it('of three for a list or map, and one more for each member', () => {
    expect(itemBytes({ l: { L: [] } })).toBe(1 + 3)
    expect(itemBytes({ l: { L: [{ S: 'ab' }, { S: 'c' }] } })).toBe(1 + 3 + (1 + 2) + (1 + 1))
    expect(itemBytes({ m: { M: { key: { S: 'value' } } } })).toBe(1 + 3 + 1 + (3 + 5))
  })

  it('of nothing for no attributes', () => {
    expect(itemBytes({})).toBe(0)
  })

  it('or no answer for a type that is not known', () => {
    expect(() => itemBytes({ x: { BS: ['AA=='] } as object })).toThrow('BS')
  })
})
