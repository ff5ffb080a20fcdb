import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backOff, type Ladder, RETRY_AFTER_CAP_MS, retriesOf } from '../../modules/core/back-off.ts'
import { firstWaitsMs, times, waitMs } from '../support/core-builders.ts'

const HOUR_MS = 3_600_000

describe('the two formulas', () => {
  it('double from a minute: 60 s × 2^n', () => {
    const ladder: Ladder = { kind: 'exponential', baseMs: 60_000, factor: 2, capMs: 24 * HOUR_MS, retries: 5 }

    expect(firstWaitsMs(ladder, 6)).toEqual([...times('1m 2m 4m 8m 16m'), 'exhausted'])
  })

  it('never exceed the cap, even where the power leaves the range of numbers', () => {
    const ladder: Ladder = { kind: 'exponential', baseMs: 60_000, factor: 2, capMs: HOUR_MS, retries: 5000 }

    expect(firstWaitsMs(ladder, 8).slice(5)).toEqual(times('32m 1h 1h'))
    expect(waitMs(ladder, 5000)).toBe(HOUR_MS)
  })

  it('grow by a minute: 60 s × retry', () => {
    const ladder: Ladder = { kind: 'linear', stepMs: 60_000, retries: 5 }

    expect(firstWaitsMs(ladder, 6)).toEqual([...times('1m 2m 3m 4m 5m'), 'exhausted'])
  })

  it('list their steps: 1, 3, 10, 30, 60 min', () => {
    const ladder: Ladder = { kind: 'steps', stepsMs: times('1m 3m 10m 30m 60m') }

    expect(firstWaitsMs(ladder, 6)).toEqual([...times('1m 3m 10m 30m 60m'), 'exhausted'])
  })
})

const anyStepMs = fc.integer({ min: 1000, max: 24 * HOUR_MS })
const anyRetries = fc.integer({ min: 0, max: 40 })
const anyLadder: fc.Arbitrary<Ladder> = fc.oneof(
  fc.record(
    { kind: fc.constant('steps' as const), stepsMs: fc.array(anyStepMs, { maxLength: 8 }), thenEveryMs: anyStepMs },
    { requiredKeys: ['kind', 'stepsMs'] },
  ),
  fc.record({
    kind: fc.constant('exponential' as const),
    baseMs: anyStepMs,
    factor: fc.constantFrom(1, 1.5, 2, 3),
    capMs: anyStepMs,
    retries: anyRetries,
  }),
  fc.record({ kind: fc.constant('linear' as const), stepMs: anyStepMs, retries: anyRetries }),
)
const anyRetry = fc.integer({ min: 1, max: 50 })
const anyJitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('whatever the ladder', () => {
  it('it retries as often as it says, and its end is a value', () => {
    fc.assert(
      fc.property(anyLadder, anyRetry, anyJitter, (ladder, retry, jitter) => {
        const left = retry <= (retriesOf(ladder) ?? Number.POSITIVE_INFINITY)

        expect(backOff(ladder, retry, jitter).kind).toBe(left ? 'retry' : 'exhausted')
      }),
    )
  })

  it('jitter moves a step by at most a tenth either way, in whole milliseconds', () => {
    fc.assert(
      fc.property(anyLadder, anyRetry, anyJitter, (ladder, retry, jitter) => {
        const next = backOff(ladder, retry, jitter)
        const step = waitMs(ladder, retry)
        if (next.kind === 'exhausted' || step === 'exhausted') return

        expect(Number.isInteger(next.delayMs)).toBe(true)
        expect(Math.abs(next.delayMs - step)).toBeLessThanOrEqual(step * 0.1 + 1)
      }),
    )
  })

  it('a Retry-After lengthens a step up to its cap and never shortens it', () => {
    const anyWishMs = fc.oneof(fc.integer({ min: -1000, max: 48 * HOUR_MS }), fc.constantFrom(Number.NaN, Infinity))
    fc.assert(
      fc.property(anyLadder, anyRetry, anyJitter, anyWishMs, (ladder, retry, jitter, wishMs) => {
        const own = backOff(ladder, retry, jitter)
        const next = backOff(ladder, retry, jitter, wishMs)
        if (own.kind === 'exhausted' || next.kind === 'exhausted') {
          expect(next).toEqual(own)
          return
        }

        const heardMs = wishMs > own.delayMs ? Math.min(wishMs, RETRY_AFTER_CAP_MS) : 0
        expect(next.delayMs).toBe(Math.max(own.delayMs, heardMs))
      }),
    )
  })
})

describe('one step', () => {
  const ladder: Ladder = { kind: 'steps', stepsMs: times('1m 6h') }

  it('lies between nine and eleven tenths, by the jitter', () => {
    expect(backOff(ladder, 1, 0)).toEqual({ kind: 'retry', delayMs: 54_000, rule: 'steps 1' })
    expect(backOff(ladder, 1, 0.5)).toEqual({ kind: 'retry', delayMs: 60_000, rule: 'steps 1' })
    expect(backOff(ladder, 1, 0.999999)).toMatchObject({ delayMs: 66_000 })
  })

  it('gives way to a longer Retry-After, and says so', () => {
    expect(backOff(ladder, 1, 0.5, 90_000)).toEqual({ kind: 'retry', delayMs: 90_000, rule: 'Retry-After' })
    expect(backOff(ladder, 1, 0.5, 60_000)).toMatchObject({ delayMs: 60_000, rule: 'steps 1' })
    expect(backOff(ladder, 1, 0.5, 30_000)).toMatchObject({ delayMs: 60_000, rule: 'steps 1' })
  })

  it('waits an hour at most for another side that asks for a day', () => {
    expect(backOff(ladder, 1, 0.5, 24 * HOUR_MS)).toMatchObject({ delayMs: HOUR_MS, rule: 'Retry-After' })
    expect(backOff(ladder, 2, 0.5, 24 * HOUR_MS)).toMatchObject({ delayMs: 6 * HOUR_MS, rule: 'steps 2' })
  })

  it.each([0, -1, 1.5, Number.NaN])('is refused for retry number %d', (retry) => {
    expect(() => backOff(ladder, retry, 0.5)).toThrow(RangeError)
  })

  it.each([-0.1, 1, Number.NaN])('is refused for jitter %d', (jitter) => {
    expect(() => backOff(ladder, 1, jitter)).toThrow(RangeError)
  })
})
