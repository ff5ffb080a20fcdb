import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ClockAlarm } from '../../../../local/engines/sqs/clock-alarm.ts'
import { leapingClock } from './leaping-clock.ts'

const dayMs = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('an alarm further off than the longest timer rings once, on time', () => {
  const clock = leapingClock()
  const ring = vi.fn()
  new ClockAlarm(clock, ring).set(clock.now() + 60 * dayMs)

  vi.advanceTimersByTime(60 * dayMs - 1)
  const rungBefore = ring.mock.calls.length
  vi.advanceTimersByTime(dayMs)

  expect([rungBefore, ring.mock.calls.length]).toEqual([0, 1])
})

it('a leap past the alarm rings it at once', () => {
  const clock = leapingClock()
  const ring = vi.fn()
  new ClockAlarm(clock, ring).set(clock.now() + 60 * dayMs)

  clock.leap(60 * dayMs)
  vi.advanceTimersByTime(0)

  expect(ring).toHaveBeenCalledOnce()
})

it('a silenced alarm does not ring', () => {
  const clock = leapingClock()
  const ring = vi.fn()
  const alarm = new ClockAlarm(clock, ring)
  alarm.set(clock.now() + 1000)

  alarm.set(undefined)
  clock.leap(2000)
  vi.advanceTimersByTime(2000)

  expect(ring).not.toHaveBeenCalled()
})
