import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { publishChange } from '../../functions/publish/publish-change.ts'
import { readJournal } from '../../functions/publish/read-journal.ts'
import { sweepAll } from '../../functions/sweep/sweep-all.ts'
import { msOf, plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { Key } from '../../modules/ledger/table/keys.ts'
import { anInstant, sure } from '../support/core-builders.ts'
import { withFaults } from '../support/faults.ts'
import { fileOf, putOrder } from '../support/ledger-builders.ts'
import { openClock, openWorld, type World } from '../support/world.ts'
import { START } from '../support/world-bank.ts'
import { inserted, modified, rowAt } from './stream-record.ts'

const bus = mockClient(EventBridgeClient)
const MINUTE_MS = 60_000

beforeEach(() => answer('ok'))
afterEach(() => {
  bus.reset()
  vi.restoreAllMocks()
})

function answer(how: 'ok' | 'down'): void {
  if (how === 'ok') bus.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'e' }] })
  else bus.on(PutEventsCommand).rejects(new Error('no answer'))
}

const ids = (): readonly string[] =>
  bus
    .commandCalls(PutEventsCommand)
    .flatMap(({ args }) => args[0].input.Entries ?? [])
    .map(({ Detail = '' }) => JSON.parse(Detail).id)

/** A world years after every other test of the file, so that only its own rows are due in it. */
let years = 0
const aLaterWorld = (): Promise<World> =>
  openWorld({ clock: openClock(plusMs(START, ++years * 366 * 24 * 60 * MINUTE_MS)) })

/** A change that the bus did not take, one failed try after the other. */
async function aMarkedChange(world: World): Promise<{ readonly key: Key; readonly id: string }> {
  const orderNo = await putOrder(world, { closeAfterMs: 1000 * MINUTE_MS })
  const row = sure((await fileOf(world, orderNo)).journal[0])
  answer('down')
  await publish(world, {}, row)
  answer('ok')
  bus.resetHistory()
  return { key: { pk: row.pk, sk: row.sk }, id: `${orderNo}/${row.orderRev}` }
}

async function publish(world: World, before: object, after: object, ledger: Ledger = world.ledger): Promise<void> {
  const record = 'pk' in before ? modified(before, after) : inserted(after)
  const change = readJournal(record)
  if (change === undefined) return
  await publishChange({ bus: new EventBridgeClient({}), busName: 'b', ledger, now: world.clock.now }, change)
}

/** One round of the sweep, and what publish does with the record that it makes. */
async function sweepAndPublish(world: World, key: Key, ledger: Ledger = world.ledger): Promise<void> {
  const before = await rowAt(world.ledger, key)
  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), () => true)
  const after = await rowAt(world.ledger, key)
  if (before['rev'] !== after['rev']) await publish(world, before, after, ledger)
}

it('a marked change is asked for by the sweep at its time, and not before', async () => {
  const world = await aLaterWorld()
  const { key, id } = await aMarkedChange(world)
  world.clock.advance(MINUTE_MS - 1)
  await sweepAndPublish(world, key)
  const early = ids()
  world.clock.advance(1)

  await sweepAndPublish(world, key)

  expect(early).toEqual([])
  expect(ids()).toEqual([id])
  const row = await rowAt(world.ledger, key)
  expect(row).toMatchObject({ rev: 4, publishTries: 1 })
  for (const gone of ['wake', 'duePk', 'dueAt']) expect(row).not.toHaveProperty(gone)
})

it('the sweep does not count a change that waits for the bus as a task that is late', async () => {
  const world = await aLaterWorld()
  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), () => true)
  await aMarkedChange(world)
  world.clock.advance(MINUTE_MS)

  const report = await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), () => true)

  expect(report.swept.woken).toBeGreaterThan(0)
  expect(report.backlog.get('internal')).toBeUndefined()
})

it('a bus that stays down is asked after 1, 3, 10, 30 and 60 minutes and then each hour, and is told in the end', async () => {
  const world = await aLaterWorld()
  const { key, id } = await aMarkedChange(world)
  answer('down')
  const waits: number[] = []
  for (let round = 0; round < 6; round++) {
    const dueAt = anInstant(String((await rowAt(world.ledger, key))['dueAt']))
    waits.push((msOf(dueAt) - msOf(world.clock.now())) / MINUTE_MS)
    world.clock.set(dueAt)
    await sweepAndPublish(world, key)
  }
  bus.reset()
  answer('ok')
  world.clock.advance(60 * MINUTE_MS)

  await sweepAndPublish(world, key)

  expect(waits).toEqual([1, 3, 10, 30, 60, 60])
  expect(ids()).toEqual([id])
  expect(await rowAt(world.ledger, key)).toMatchObject({ publishTries: 7 })
})

it('a change that fails again is counted, so that the alarm rings; the first failure is logged alone', async () => {
  const world = await aLaterWorld()
  let written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk)
    return true
  })
  const { key } = await aMarkedChange(world)
  const first = written
  answer('down')
  world.clock.advance(MINUTE_MS)

  await sweepAndPublish(world, key)

  expect(first).toContain('"level":"WARN"')
  expect(first).not.toContain('DispatchFailed')
  expect(written.slice(first.length)).toContain('"level":"ERROR"')
  expect(written.slice(first.length)).toContain('"DispatchFailed":1')
})

it('a process that dies between the bus and its mark publishes twice, under one id', async () => {
  const world = await aLaterWorld()
  const { key, id } = await aMarkedChange(world)
  world.clock.advance(MINUTE_MS)
  const dying = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'UpdateItemCommand') fail('unavailable')
  })
  await sweepAndPublish(world, key, dying)
  const kept = await rowAt(world.ledger, key)
  world.clock.advance(5 * MINUTE_MS)

  await sweepAndPublish(world, key)

  expect(kept).toHaveProperty('wake')
  expect(ids()).toEqual([id, id])
  expect(await rowAt(world.ledger, key)).not.toHaveProperty('duePk')
})

it('an answer that comes late takes no mark off that the sweep has set anew', async () => {
  const world = await aLaterWorld()
  const { key } = await aMarkedChange(world)
  const marked = await rowAt(world.ledger, key)
  const askAt = async (afterMs: number) => {
    world.clock.advance(afterMs)
    await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), () => true)
    return rowAt(world.ledger, key)
  }
  const first = await askAt(MINUTE_MS)
  const second = await askAt(5 * MINUTE_MS)

  await publish(world, marked, first)
  const between = await rowAt(world.ledger, key)
  await publish(world, first, second)

  expect(between).toEqual(second)
  expect(await rowAt(world.ledger, key)).not.toHaveProperty('duePk')
})

it('without bus and ledger a new change comes again, a marked one rests on its mark', async () => {
  const world = await aLaterWorld()
  const { key } = await aMarkedChange(world)
  const orderNo = await putOrder(world)
  const fresh = sure((await fileOf(world, orderNo)).journal[0])
  world.clock.advance(MINUTE_MS)
  answer('down')
  const gone = withFaults(world.ledger, ({ fail }) => fail('unavailable'))

  await expect(publish(world, {}, fresh, gone)).rejects.toThrow('no answer')
  await sweepAndPublish(world, key, gone)

  expect(await rowAt(world.ledger, key)).toMatchObject({
    publishTries: 1,
    dueAt: plusMs(world.clock.now(), 5 * MINUTE_MS),
  })
})
