import { expect, it } from 'vitest'
import { REPUBLISH_MS, republishDelayMs } from '../../modules/core/republish.ts'

it('a change waits 1, 3, 10, 30 and 60 minutes between tries, and then an hour each time, for ever', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => republishDelayMs(failures) / 60_000)

  expect(minutes).toEqual([1, 3, 10, 30, 60, 60, 60, 60])
})

it('the waits never get shorter', () => {
  expect(REPUBLISH_MS).toEqual(REPUBLISH_MS.toSorted((a, b) => a - b))
})

it('before the first failure there is nothing to wait for', () => {
  for (const failures of [0, -1, 1.5, Number.NaN]) expect(() => republishDelayMs(failures)).toThrow(RangeError)
})
