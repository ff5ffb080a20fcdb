import fc from 'fast-check'
import { expect, it } from 'vitest'
import { delayMsOf, matches } from '../../../../local/engines/step-functions/interpret/handle-failure.ts'

const retrier = { ErrorEquals: ['States.ALL'], IntervalSeconds: 2, BackoffRate: 2, MaxAttempts: 6 }

it('waits grow by the back-off rate, up to the longest', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6].map((attempts) =>
    delayMsOf({ ...retrier, MaxDelaySeconds: 60 }, attempts, Math.random),
  )

  expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

it('full jitter is between nothing and the whole wait, and no wait is endless', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempts, chance) => {
      const whole = delayMsOf(retrier, attempts, () => chance)
      const jittered = delayMsOf({ ...retrier, JitterStrategy: 'FULL' }, attempts, () => chance)

      expect(whole).toBeLessThanOrEqual(31_622_400_000)
      expect(jittered).toBe(Math.round(whole * chance))
    }),
  )
})

it.each([
  ['States.ALL', 'Anything', true],
  ['States.ALL', 'States.Timeout', true],
  ['States.ALL', 'States.QueryEvaluationError', true],
  ['States.ALL', 'States.Runtime', false],
  ['States.ALL', 'States.DataLimitExceeded', false],
  ['States.TaskFailed', 'Lambda.ServiceException', true],
  ['States.TaskFailed', 'States.Timeout', false],
  ['States.TaskFailed', 'States.Runtime', false],
  ['States.Runtime', 'States.Runtime', false],
  ['States.DataLimitExceeded', 'States.DataLimitExceeded', true],
  ['Lambda.ServiceException', 'Lambda.SdkClientException', false],
])('%s stands for %s: %s', (named, error, expected) => {
  expect(matches(named, error)).toBe(expected)
})
