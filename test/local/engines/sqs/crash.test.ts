import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqs } from '../../../../local/engines/sqs/open-sqs.ts'
import { killUnderLoad } from './kill-under-load.ts'
import { leapingClock } from './leaping-clock.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqs-'))
  path = join(folder, 'queues.db')
})
afterEach(() => rm(folder, { recursive: true }))

const open = (clock = leapingClock()) => openSqs({ path, clock, urlBase: () => 'http://127.0.0.1' })

it('after kill -9 every acknowledged message is there once, and every acknowledged removal holds', async () => {
  const lines = await killUnderLoad(join(import.meta.dirname, 'crash-child.ts'), path, 2000)
  const bodiesOf = (verb: string) => lines.flatMap((line) => (line.startsWith(`${verb} `) ? [line.split(' ')[1]] : []))
  const [sent, removing, removed] = [bodiesOf('sent'), new Set(bodiesOf('removing')), bodiesOf('removed')]

  const engine = open()
  await engine.releaseInFlight()
  const found = await engine.receive('tasks', { max: 100_000, waitMs: 0 })
  engine.close()

  const bodies = new Set<string | undefined>(found.map(({ body }) => body))
  expect(bodies.size).toBe(found.length)
  expect(sent.filter((body) => !bodies.has(body) && !removing.has(body))).toEqual([])
  expect(removed.filter((body) => bodies.has(body))).toEqual([])
  expect(removed.length).toBeGreaterThan(0)
  expect(sent.length).toBeGreaterThan(1000)
})

it('messages in flight at a crash wait for their time-out, unless they are released', async () => {
  const before = open()
  await before.createQueue('tasks', { VisibilityTimeout: 120 })
  await before.send('tasks', { body: 'working on it' })
  await before.receive('tasks', { max: 1, waitMs: 0 })
  before.close()

  const after = open()
  const counts = after.counts('tasks')
  await after.releaseInFlight()
  const [message] = await after.receive('tasks', { max: 1, waitMs: 0 })
  after.close()

  expect(counts).toEqual({ visible: 0, inFlight: 1, delayed: 0 })
  expect(message?.attributes['ApproximateReceiveCount']).toBe('2')
})

it('delays, groups and settings survive a restart', async () => {
  const before = open()
  const { arn } = await before.createQueue('dead')
  await before.createQueue('tasks', { RedrivePolicy: { deadLetterTargetArn: arn, maxReceiveCount: 1 } })
  await before.send('tasks', { body: 'later', delayS: 900, groupId: 'g' })
  before.close()

  const clock = leapingClock()
  const after = open(clock)
  const counts = after.counts('tasks')
  clock.leap(900_000)
  const [first] = await after.receive('tasks', { max: 1, waitMs: 0, visibilityTimeoutS: 0 })
  await after.receive('tasks', { max: 1, waitMs: 0 })
  const dead = after.counts('dead')
  after.close()

  expect(counts).toEqual({ visible: 0, inFlight: 0, delayed: 1 })
  expect(first?.attributes['MessageGroupId']).toBe('g')
  expect(dead.visible).toBe(1)
})
