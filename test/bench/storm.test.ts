import { describe, expect, it } from 'vitest'
import { drainRatio, mostWithin, overshootOf } from '../../bench/storm/count-calls.ts'
import { BATCH_SIZE, LaneQueue } from '../../bench/storm/lane-queue.ts'
import { VirtualTime } from '../../bench/storm/virtual-time.ts'
import { BATCH_SIZE as deployedBatchSize } from '../../infra/backstop-queue.ts'
import { parseTaskNo } from '../../modules/core/ids.ts'
import { instantOf } from '../../modules/core/instant.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import { sure } from '../support/core-builders.ts'

const aMessage: TaskMessage = {
  v: 1,
  pk: 'ORDER#ORD-1',
  taskNo: sure(parseTaskNo('A'.repeat(26))),
  wake: instantOf(0),
  lane: 'stormy',
  cause: 'stream',
}

describe('calls in any second', () => {
  it('are counted wherever the second begins, and its end belongs to the next', () => {
    expect(mostWithin([900, 0, 1_100, 1_000], 1_000)).toBe(3)
    expect(mostWithin([0, 1_000, 2_000], 1_000)).toBe(1)
    expect(mostWithin([], 1_000)).toBe(0)
  })

  it('overshoot is the share above what is allowed, and never below nothing', () => {
    const calls = Array.from({ length: 21 }, (_, index) => index)

    expect(overshootOf(calls, 20)).toBeCloseTo(0.05)
    expect(overshootOf(calls, 100)).toBe(0)
  })

  it('a drain is compared with what the rate allows at best', () => {
    expect(drainRatio([10_500, 10_000, 12_000], 10_000, 1.5)).toBe(1)
    expect(drainRatio([10_500, 10_000, 13_000], 10_000, 1.5)).toBe(1.5)
  })
})

describe('simulated time', () => {
  it('jumps from event to event, in order, and those of one moment in the order of their planning', async () => {
    const time = new VirtualTime(1_000)
    const seen: [string, number][] = []
    const note = (name: string) => () => seen.push([name, time.nowMs])
    time.at(5_000, note('late'))
    time.at(2_000, note('first'))
    time.at(2_000, note('second'))
    time.at(0, note('past'))

    await time.run()

    expect(seen).toEqual([
      ['past', 1_000],
      ['first', 2_000],
      ['second', 2_000],
      ['late', 5_000],
    ])
  })

  it('stands still while a real call is under way, also one that fails', async () => {
    const time = new VirtualTime(0)
    const seen: number[] = []
    const { promise, reject } = Promise.withResolvers<void>()
    const call = time.during(() => promise).catch(() => seen.push(time.nowMs))
    time.at(60_000, () => seen.push(time.nowMs))

    setImmediate(() => setImmediate(() => reject(new Error('refused'))))
    await Promise.all([time.run(), call])

    expect(seen).toEqual([0, 60_000])
  })

  it('lets many sleep side by side', async () => {
    const time = new VirtualTime(0)
    const woken: number[] = []
    const sleepers = [300, 100, 200].map((ms) => time.sleep(ms).then(() => woken.push(time.nowMs)))

    await Promise.all([time.run(), ...sleepers])

    expect(woken).toEqual([100, 200, 300])
  })
})

describe('the queue of a simulated lane', () => {
  it('hands out batches as large as the deployed ones', () => {
    expect(BATCH_SIZE).toBe(deployedBatchSize)
  })

  it('gives an environment its next batch when the slowest of the last one is done', async () => {
    const time = new VirtualTime(0)
    const startedAt: number[] = []
    const durations = [...Array<number>(BATCH_SIZE - 1).fill(10), 500, 10]
    const queue = new LaneQueue(time, [
      async () => {
        startedAt.push(time.nowMs)
        await time.sleep(durations.shift() ?? 0)
      },
    ])
    for (let index = 0; index <= BATCH_SIZE; index++) queue.arriveAt(100, aMessage)

    await time.run()

    expect(startedAt).toEqual([...Array<number>(BATCH_SIZE).fill(100), 600])
    expect(queue).toMatchObject({ batches: 2, messages: BATCH_SIZE + 1 })
  })
})
