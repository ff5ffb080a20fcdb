import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openAlarm } from '../../../../local/host/clock/alarm.ts'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { leapBy, leapOnAndOn, leapToNext } from '../../../../local/host/runtime/leap.ts'

const HOUR_MS = 3_600_000

/** A host with planned moments, each of which takes a little real time to handle. */
function openHost(dueTimes: number[]) {
  const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
  const startedAt = clock.now()
  const planned = dueTimes.map((due) => startedAt + due)
  const handledAt: number[] = []
  let running = 0
  openAlarm(
    clock,
    () => planned[0],
    () => {
      planned.shift()
      running += 1
      void sleep(5).then(() => {
        running -= 1
        handledAt.push(clock.now() - startedAt)
      })
    },
  )
  const idleness = watchIdleness(clock)
  idleness.add({ isBusy: () => running > 0, nextDueAt: () => planned[0] })
  return { clock, startedAt, idleness, handledAt }
}

describe('a leap', () => {
  it('goes to the next due time, and nowhere when nothing is planned', async () => {
    const { clock, startedAt, idleness } = openHost([HOUR_MS])

    const first = await leapToNext(clock, idleness)
    const second = await leapToNext(clock, idleness)

    expect((first ?? 0) - startedAt).toBeGreaterThanOrEqual(HOUR_MS)
    expect(second).toBeUndefined()
  })

  it('over a span handles each due moment in its own time, and ends at the end of the span', async () => {
    const { clock, startedAt, idleness, handledAt } = openHost([HOUR_MS, 2 * HOUR_MS, 9 * HOUR_MS])

    await leapBy(clock, idleness, 3 * HOUR_MS)

    expect(handledAt.map((at) => Math.floor(at / HOUR_MS))).toEqual([1, 2])
    expect(Math.floor((clock.now() - startedAt) / HOUR_MS)).toBe(3)
  })

  it('follows another by itself until it is stopped', async () => {
    const { clock, idleness, handledAt } = openHost([HOUR_MS, 2 * HOUR_MS, 50 * HOUR_MS])
    const stopping = new AbortController()

    const leaping = leapOnAndOn(clock, idleness, stopping.signal)
    while (handledAt.length < 3) await sleep(2)
    stopping.abort()
    idleness.close()
    await leaping

    expect(handledAt.map((at) => Math.floor(at / HOUR_MS))).toEqual([1, 2, 50])
  })
})
