import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { killUnderLoad } from '../sqs/kill-under-load.ts'
import { startScheduler } from './start-scheduler.ts'
import { until } from './until.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scheduler-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('after kill -9 every acknowledged schedule is delivered, before or after', async () => {
  const path = join(folder, 'schedules.db')
  const lines = await killUnderLoad(join(import.meta.dirname, 'crash-child.ts'), path, 2000)
  const namesOf = (verb: string) => lines.flatMap((line) => (line.startsWith(`${verb} `) ? [line.split(' ')[1]] : []))
  const created = namesOf('created')

  const scheduler = await startScheduler({ path })
  scheduler.clock.leap(3_600_000)
  await until(() => scheduler.engine.nextDueAt() === undefined && !scheduler.engine.isRunning())
  await scheduler.stop()

  const delivered = new Set([...namesOf('delivered'), ...scheduler.deliveries.arrived.map((d) => d.invocation.name)])
  expect(created.filter((name) => !delivered.has(name))).toEqual([])
  expect(created.length).toBeGreaterThan(500)
})
