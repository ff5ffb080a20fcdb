import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantOf, msOf, parseInstant, plusMs } from '../../modules/core/instant.ts'

const at = (text: string) => parseInstant(text) ?? expect.unreachable()
const FIRST = at('0000-01-01T00:00:00.000Z')
const LAST = at('9999-12-31T23:59:59.999Z')

describe('instants', () => {
  it.each([
    ['2026-11-02T09:59:57+08:00', '2026-11-02T01:59:57.000Z'],
    ['2026-11-02T01:59:57Z', '2026-11-02T01:59:57.000Z'],
    ['2026-11-02T01:59:57.1Z', '2026-11-02T01:59:57.100Z'],
    ['2026-11-02T01:59:57.123456789Z', '2026-11-02T01:59:57.123Z'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  it.each([
    '2026-11-02T01:59:57',
    '2026-11-02 01:59:57Z',
    '2026-11-02',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-02T25:00:00Z',
    '2026-11-02T01:60:00Z',
    '2026-11-02T01:59:57+0800',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01T00:00:00+14:00',
    '1793584800',
    'now',
    '',
  ])('%j is no instant', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('instants sort as text exactly as in time', () => {
    // One millisecond short of the year 9999's last, since one is added; what lies at that edge has a test of its own below.
    const ms = fc.integer({ min: msOf(FIRST), max: msOf(LAST) - 1 })
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        expect(instantOf(a) < instantOf(b)).toBe(a < b)
        expect(msOf(instantOf(a))).toBe(a)
        expect(msOf(plusMs(instantOf(a), 1))).toBe(a + 1)
        expect(parseInstant(instantOf(a))).toBe(instantOf(a))
      }),
      { examples: [[msOf(FIRST), msOf(LAST) - 1]] },
    )
  })

  it.each([
    [LAST, 1],
    [FIRST, -1],
  ])('no time is made that would sort before all others: %s and %i ms', (edge, ms) => {
    expect(() => plusMs(edge, ms)).toThrow(RangeError)
    expect(plusMs(edge, 0)).toBe(edge)
  })

  it('whatever is read is in the one form', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789-:T.Z+ ') }), (text) => {
        expect(parseInstant(text) ?? '2000-01-01T00:00:00.000Z').toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }),
    )
  })
})
