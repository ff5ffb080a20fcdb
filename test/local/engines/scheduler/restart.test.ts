import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScheduler } from '../../../../local/engines/scheduler/open-scheduler.ts'
import { leapingClock } from '../sqs/leaping-clock.ts'
import { aSchedule, recordDeliveries } from './start-scheduler.ts'
import { until } from './until.ts'

let folder: string
let clock: ReturnType<typeof leapingClock>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scheduler-'))
  clock = leapingClock()
})
afterEach(() => rm(folder, { recursive: true }))

function open(answer: () => Promise<void> = () => Promise.resolve()) {
  const deliveries = recordDeliveries()
  const engine = openScheduler({
    path: join(folder, 'schedules.db'),
    clock,
    deliver: async (target, invocation) => {
      deliveries.add({ target, invocation })
      await answer()
    },
  })
  return { engine, deliveries }
}

const never = (): Promise<void> => new Promise(() => {})

it('what fell due while the machine was off fires at the next start', async () => {
  const before = open()
  await before.engine.putSchedule('default', 'once', aSchedule(clock))
  before.engine.close()
  clock.leap(7_200_000)

  const after = open()
  const { invocation } = await after.deliveries.next()
  after.engine.close()

  expect(invocation.name).toBe('once')
})

it('a delivery that a crash cut off is made again under the same execution', async () => {
  const before = open(never)
  await before.engine.putSchedule('default', 'once', {
    ...aSchedule(clock),
    ScheduleExpression: 'at(2020-01-01T00:00:00)',
    ActionAfterCompletion: 'DELETE',
  })
  const first = await before.deliveries.next()
  before.engine.close()

  const after = open()
  const second = await after.deliveries.next()
  await until(() => !after.engine.isRunning())
  after.engine.close()
  const third = open()
  const dueAtThirdStart = third.engine.nextDueAt()
  third.engine.close()

  expect(second.invocation).toEqual(first.invocation)
  expect(dueAtThirdStart).toBeUndefined()
})

it('a recurring schedule that missed many firings while off makes one, and stays in step', async () => {
  const start = Math.floor(clock.now() / 1000) * 1000
  const before = open()
  await before.engine.putSchedule('default', 'sweep', { ...aSchedule(clock), ScheduleExpression: 'rate(1 minute)' })
  const first = await before.deliveries.next()
  await until(() => !before.engine.isRunning())
  before.engine.close()
  clock.leap(3_600_000)

  const after = open()
  await after.deliveries.next()
  await until(() => !after.engine.isRunning())
  const dueAt = after.engine.nextDueAt() ?? 0
  after.engine.close()

  expect(after.deliveries.arrived).toHaveLength(1)
  expect(dueAt).toBeGreaterThan(start + 3_600_000)
  expect((dueAt - first.invocation.scheduledAt) % 60_000).toBe(0)
})

it('groups, definitions and retries survive a restart', async () => {
  const before = open(() => Promise.reject(new Error('down')))
  await before.engine.ensureGroup('g')
  await before.engine.putSchedule('g', 'once', { ...aSchedule(clock), ScheduleExpression: 'at(2020-01-01T00:00:00)' })
  await before.deliveries.next()
  await until(() => !before.engine.isRunning())
  const retryAt = before.engine.nextDueAt()
  before.engine.close()

  const after = open()
  const retryAtAfter = after.engine.nextDueAt()
  clock.leap(1_000)
  const { invocation } = await after.deliveries.next()
  after.engine.close()

  expect(retryAtAfter).toBe(retryAt)
  expect(invocation).toMatchObject({ group: 'g', name: 'once', attempt: 2 })
})
