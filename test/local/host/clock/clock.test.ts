import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openAlarm } from '../../../../local/host/clock/alarm.ts'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'

const DAY_MS = 86_400_000

describe('a leaping clock', () => {
  it('starts as far ahead as it was before the last stop', () => {
    const clock = openLeapingClock({ offsetMs: DAY_MS, saveOffset: () => {} })

    expect(clock.now()).toBeGreaterThanOrEqual(Date.now() + DAY_MS - 1)
  })

  it('saves its offset before a leap takes effect', () => {
    const order: string[] = []
    const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => order.push('saved') })
    clock.onLeap(() => order.push('told'))

    clock.leapTo(Date.now() + DAY_MS)

    expect(order).toEqual(['saved', 'told'])
  })

  it('never goes back', () => {
    const saved: number[] = []
    const clock = openLeapingClock({ offsetMs: DAY_MS, saveOffset: (offsetMs) => saved.push(offsetMs) })

    clock.leapTo(Date.now() + DAY_MS / 2)

    expect(clock.offsetMs()).toBe(DAY_MS)
    expect(saved).toEqual([])
  })
})

describe('an alarm', () => {
  it('rings after a leap over its due time, however far away that was', async () => {
    const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
    let dueAt: number | undefined = clock.now() + 400 * DAY_MS
    const rung: number[] = []
    const alarm = openAlarm(
      clock,
      () => dueAt,
      () => {
        rung.push(clock.now())
        dueAt = undefined
      },
    )

    await sleep(2)
    const before = rung.length
    clock.leapTo(clock.now() + 401 * DAY_MS)
    await sleep(10)

    expect(before).toBe(0)
    expect(rung).toHaveLength(1)
    alarm.close()
  })

  it('stays silent once closed', async () => {
    const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
    let rung = 0
    const alarm = openAlarm(
      clock,
      () => clock.now(),
      () => {
        rung += 1
      },
    )

    alarm.close()
    clock.leapTo(clock.now() + DAY_MS)
    await sleep(5)

    expect(rung).toBe(0)
  })
})
