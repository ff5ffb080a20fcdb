import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BucketStock, parseInterface, pickBuckets, spreadChange } from '../../modules/core/stock.ts'

const buckets = (...levels: number[]): BucketStock[] => levels.map((available, bucket) => ({ bucket, available }))
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

describe('a quantity', () => {
  it('is taken from the first bucket of the ring when that holds it', () => {
    expect(pickBuckets(buckets(5, 5, 5), 5, 1)).toEqual([{ bucket: 1, qty: 5 }])
  })

  it('is taken from the next bucket that holds all of it, round the end', () => {
    expect(pickBuckets(buckets(4, 1, 2), 3, 1)).toEqual([{ bucket: 0, qty: 3 }])
  })

  it('larger than any bucket is taken from as few as possible', () => {
    expect(pickBuckets(buckets(1, 4, 0, 3), 6, 2)).toEqual([
      { bucket: 1, qty: 4 },
      { bucket: 3, qty: 2 },
    ])
  })

  it('that all buckets together do not hold is not taken at all', () => {
    expect(pickBuckets(buckets(1, 4, 3), 9, 0)).toBeUndefined()
    expect(pickBuckets([], 1, 0)).toBeUndefined()
  })

  it('is taken whole, never more than a bucket holds, exactly when there is enough', () => {
    const levels = fc.array(fc.nat(50), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(levels, fc.integer({ min: 1, max: 300 }), fc.nat(19), (held, qty, first) => {
        const picked = pickBuckets(buckets(...held), qty, first % held.length)

        expect(picked !== undefined).toBe(sum(held) >= qty)
        expect(sum((picked ?? []).map((part) => part.qty))).toBe(picked === undefined ? 0 : qty)
        expect(new Set(picked?.map(({ bucket }) => bucket)).size).toBe(picked?.length ?? 0)
        for (const part of picked ?? []) expect(part.qty).toBeLessThanOrEqual(held[part.bucket] ?? 0)
      }),
    )
  })
})

describe('a change of stock', () => {
  it('fills the emptiest buckets up to one level', () => {
    expect(spreadChange([5, 0, 1, 9], 7)).toEqual([0, 4, 3, 0])
  })

  it('is let out of the fullest buckets down to one level', () => {
    expect(spreadChange([5, 0, 1, 9], -8)).toEqual([-2, 0, 0, -6])
  })

  it('over empty buckets differs by at most one', () => {
    expect(spreadChange([0, 0, 0], 5)).toEqual([2, 2, 1])
  })

  it('larger than what is there is refused', () => {
    expect(() => spreadChange([1, 1], -3)).toThrow(RangeError)
    expect(() => spreadChange([], 1)).toThrow(RangeError)
  })

  it('adds up, goes one way, and leaves no bucket below zero', () => {
    const levels = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(levels, fc.integer({ min: -5000, max: 5000 }), (held, wanted) => {
        // Minus the sum of nothing would be -0, which no sum is.
        const change = Math.max(wanted, 0 - sum(held))

        const changes = spreadChange(held, change)

        expect(sum(changes)).toBe(change)
        expect(changes.every((part) => part * Math.sign(change) >= 0)).toBe(true)
        expect(changes.every((part, index) => (held[index] ?? 0) + part >= 0)).toBe(true)
        const touched = held.map((level, index) => level + (changes[index] ?? 0)).filter((_, n) => changes[n] !== 0)
        expect(Math.max(...touched) - Math.min(...touched)).toBeLessThanOrEqual(touched.length === 0 ? -Infinity : 1)
      }),
      { examples: [[[0], -5]] },
    )
  })
})

it.each(['card-code', 'webhook', 'webhook:backup', 'webhook:a-2'])('%s is a way of delivery', (text) => {
  expect(parseInterface(text)).toBe(text)
})

it.each(['', 'mail', 'webhook:', 'webhook:Backup', 'webhook:a b', 'Webhook', 'card-code:x'])(
  '"%s" is no way of delivery',
  (text) => {
    expect(parseInterface(text)).toBeUndefined()
  },
)
