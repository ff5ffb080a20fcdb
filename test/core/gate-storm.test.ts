import { expect, it } from 'vitest'
import { gateDefaults } from '../../modules/core/gate/config.ts'
import { mostWithin, type Storm, StormLane, type StormTask, seededRandom } from '../gate/storm.ts'

const T0 = 1_800_000_000_000
/** 125 calls/s in all: 100 for everybody, 25 kept for live traffic. */
const config = { ...gateDefaults, startPerS: 125, maxPerS: 125 }
const backlogPerS = 100

const aStorm = (change: Partial<Storm> = {}): Storm => ({
  config,
  workers: 10,
  answer: () => ({ kind: 'done', latencyMs: 200 }),
  random: seededRandom(7),
  ...change,
})

const tasksAt = (count: number, atMs: (index: number) => number, live = false): StormTask[] =>
  Array.from({ length: count }, (_, index) => ({ live, atMs: atMs(index), runs: 0 }))

const wakeUps = (tasks: readonly StormTask[]) => Math.max(...tasks.map((task) => task.runs - 1))
const waitMs = (task: StormTask) => (task.calledAtMs ?? Number.POSITIVE_INFINITY) - task.atMs
const spanMs = (calls: readonly number[]) => Math.max(...calls) - Math.min(...calls)

it('a backlog of 5,000 drains at 100 a second, with one wake-up and one write per task', async () => {
  const storm = new StormLane(aStorm())
  const tasks = tasksAt(5_000, (index) => T0 + index)

  await storm.drain(tasks)

  expect(storm.calls).toHaveLength(5_000)
  expect(spanMs(storm.calls)).toBeLessThanOrEqual(50_000 * 1.05)
  expect(mostWithin(storm.calls, 1000)).toBeLessThanOrEqual(backlogPerS * 1.05)
  expect(wakeUps(tasks)).toBe(1)
  // The takes, and every fifty good answers one write of their own.
  expect(storm.lane.writes).toBeLessThanOrEqual(5_000 + 5_000 / 50)
})

it('a queue that stands still for five seconds does not let the calls of five seconds go at once', async () => {
  const storm = new StormLane(aStorm({ standstill: { fromMs: T0 + 10_000, toMs: T0 + 15_000 } }))
  const tasks = tasksAt(5_000, (index) => T0 + index)

  await storm.drain(tasks)

  expect(storm.calls).toHaveLength(5_000)
  expect(mostWithin(storm.calls, 1000)).toBeLessThanOrEqual(backlogPerS * 1.05)
  // What stood still is made up for at the end.
  expect(spanMs(storm.calls)).toBeLessThanOrEqual(50_000 * 1.05 + 5_000)
})

it('slots further ahead than a delay can carry cost two wake-ups at most, and the pace is the same', async () => {
  const storm = new StormLane(aStorm())
  const tasks = tasksAt(8_000, (index) => T0 + Math.floor(index / 4))

  await storm.drain(tasks)

  expect(spanMs(storm.calls)).toBeLessThanOrEqual(80_000 * 1.05)
  expect(mostWithin(storm.calls, 1000)).toBeLessThanOrEqual(backlogPerS * 1.05)
  expect(wakeUps(tasks)).toBeLessThanOrEqual(2)
})

it('slots further ahead than ten minutes are looked at each ten minutes and still go to the millisecond', async () => {
  const storm = new StormLane(aStorm({ config: { ...config, startPerS: 5, maxPerS: 5 } }))
  const tasks = tasksAt(4_000, (index) => T0 + index)

  await storm.drain(tasks)

  expect(spanMs(storm.calls)).toBeLessThanOrEqual(1_000_000 * 1.05)
  expect(mostWithin(storm.calls, 1000)).toBeLessThanOrEqual(5)
  // The last slot lies 800 s ahead: no slot is copied further than ten minutes, so one more look is the price.
  expect(wakeUps(tasks)).toBeLessThanOrEqual(3)
})

it('first tries of 20 a second go at once while a backlog of 5,000 drains at its pace', async () => {
  const storm = new StormLane(aStorm())
  const backlog = tasksAt(5_000, (index) => T0 + index)
  const live = tasksAt(800, (index) => T0 + 6_000 + index * 50, true)

  await storm.drain([...backlog, ...live])

  expect(Math.max(...live.map((task) => task.runs))).toBe(1)
  expect(Math.max(...live.map(waitMs))).toBe(0)
  expect(mostWithin(storm.calls, 1000)).toBeLessThanOrEqual(125 * 1.05)
  expect(spanMs(storm.calls)).toBeLessThanOrEqual(50_000 * 1.05)
})

it('what was parked during an outage follows the probes at the pace of the lane, with two wake-ups at most', async () => {
  const outageEndsMs = T0 + 30_000
  const storm = new StormLane(
    aStorm({
      answer: (nowMs) =>
        nowMs < outageEndsMs ? { kind: 'unknown', latencyMs: 1_000 } : { kind: 'done', latencyMs: 200 },
    }),
  )
  const first = tasksAt(60, (index) => T0 + index * 20)
  const backlog = tasksAt(5_000, (index) => T0 + 5_000 + index * 4)

  await storm.drain([...first, ...backlog])

  const after = storm.calls.filter((callMs) => callMs >= outageEndsMs)
  expect(storm.changes).toEqual(['SLOWED', 'STOPPED', 'PASSING'])
  expect(after).toHaveLength(5_000)
  // Probes first, 5 s for their answers, then the backlog.
  expect(spanMs(after)).toBeLessThanOrEqual(5_000 + 50_000 * 1.05)
  expect(mostWithin(after, 1000)).toBeLessThanOrEqual(backlogPerS * 1.05)
  expect(wakeUps(backlog)).toBeLessThanOrEqual(2)
})

it('a channel that takes 60 a second of our 100 refuses few calls, and each decrease costs a task one wake-up at most', async () => {
  const recent: number[] = []
  const refusedAt: number[] = []
  const storm = new StormLane(
    aStorm({
      answer: (nowMs) => {
        while ((recent[0] ?? nowMs) <= nowMs - 1000) recent.shift()
        if (recent.length < 60) {
          recent.push(nowMs)
          return { kind: 'done', latencyMs: 200 }
        }
        refusedAt.push(nowMs)
        return { kind: 'transient', latencyMs: 50, httpStatus: 429 }
      },
    }),
  )
  const tasks = tasksAt(5_000, (index) => T0 + index)

  await storm.drain(tasks)

  const decreases = storm.changes.filter((change) => change === 'SLOWED').length
  expect(refusedAt.length / storm.calls.length).toBeLessThanOrEqual(0.05)
  expect(Math.max(...refusedAt)).toBeLessThanOrEqual(T0 + 10_000)
  expect(wakeUps(tasks)).toBeLessThanOrEqual(2 + decreases)
  expect(spanMs(storm.calls)).toBeLessThanOrEqual(2 * (5_000 / 60) * 1000)
})
