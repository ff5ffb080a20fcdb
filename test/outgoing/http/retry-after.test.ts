import { expect, it } from 'vitest'
import { readRetryAfter } from '../../../modules/outgoing/http/retry-after.ts'

const NOW = Date.parse('2026-11-02T02:00:00Z')

it.each([
  ['120', 120_000],
  ['0', 0],
  ['Mon, 02 Nov 2026 02:00:30 GMT', 30_000],
  ['Mon, 02 Nov 2026 01:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms from now', (value, ms) => {
  expect(readRetryAfter(value, NOW)).toBe(ms)
})
