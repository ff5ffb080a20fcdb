import { randomUUID } from 'node:crypto'
import { BatchWriteCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { sweepAll } from '../../functions/sweep/sweep-all.ts'
import { parseOrderNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { PAYING_LOOK_MS } from '../../modules/ledger/order/watch-order.ts'
import type { DuePlace } from '../../modules/ledger/read/read-due.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { DUE_SHARDS, duePkOf, dueShard, orderPk, taskSk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { sure } from '../support/core-builders.ts'
import { withFaults } from '../support/faults.ts'
import {
  fileOf,
  forceOrder,
  forceRow,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  putRaw,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { openClock, openWorld, type World } from '../support/world.ts'
import { aCallback, START } from '../support/world-bank.ts'

const always = () => true

/** A world years after every other test of the file, so that only its own rows are due in it. */
let years = 0
async function aLaterWorld(): Promise<World> {
  return openWorld({ clock: openClock(plusMs(START, ++years * 366 * 24 * 3_600_000)) })
}

async function sweepEverythingBefore(world: World): Promise<void> {
  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, plusMs(world.clock.now(), -1), always)
}

function aTask(index: number, dueAt: string, change: Readonly<Record<string, unknown>> = {}) {
  const orderNo = sure(parseOrderNo(`SWEEP-${randomUUID().slice(0, 20)}`))
  const taskNo = taskNoOf('DELIVER', `${orderNo}/${index}`)
  return {
    pk: orderPk(orderNo),
    sk: taskSk(taskNo),
    et: 'TASK',
    v: 1,
    rev: 1,
    updatedAt: dueAt,
    taskNo,
    bizType: 'DELIVER',
    bizNo: `${orderNo}/${index}`,
    orderNo,
    lane: 'merchant',
    source: 'POLICY',
    status: 'WAITING',
    retryCount: 0,
    attempts: 0,
    fence: 0,
    run: 0,
    parkedMs: 0,
    idempotencyKey: `dlv_${taskNo}`,
    nextExecuteAt: dueAt,
    wake: '2026-01-01T00:00:00.000Z',
    deadlineAt: '2099-01-01T00:00:00.000Z',
    createdAt: dueAt,
    duePk: duePkOf(orderPk(orderNo)),
    dueAt,
    ...change,
  }
}

async function putAll(ledger: Ledger, items: readonly Record<string, unknown>[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }))
    await ledger.client.send(new BatchWriteCommand({ RequestItems: { [ledger.table]: requests } }))
  }
}

it('a woken row has a new wake, which is what makes its trigger, and is looked at again in five minutes', async () => {
  const world = await aLaterWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.clock.advance(150_000)

  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
  expect(task).toMatchObject({ wake: world.clock.now(), dueAt: plusMs(world.clock.now(), 300_000), status: 'WAITING' })
})

it('there is no upper age: a row that is a month overdue is woken', async () => {
  const world = await aLaterWorld()
  const orderNo = await putOrder(world)
  world.clock.advance(30 * 24 * 3_600_000)

  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER').wake).toBe(world.clock.now())
})

it('an order that stays in PAYING gets a query task for each open attempt, whatever became of the first', async () => {
  const world = await aLaterWorld()
  const orderNo = await putPayingOrder(world, { closeAfterMs: 3_600_000 })
  const query = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  await world.ledger.client.send(
    new DeleteCommand({ TableName: world.ledger.table, Key: { pk: query.pk, sk: query.sk } }),
  )
  world.clock.advance(PAYING_LOOK_MS)

  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  const file = await fileOf(world, orderNo)
  expect(tasksOf(file, 'QUERY_PAYMENT')).toHaveLength(1)
  expect(file.order?.dueAt).toBe(plusMs(world.clock.now(), PAYING_LOOK_MS))
})

it('an open ticket is looked at each hour and not woken', async () => {
  const world = await aLaterWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))
  const before = taskOf(await fileOf(world, orderNo), 'REVIEW')
  world.clock.advance(3_600_000)

  await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  const after = taskOf(await fileOf(world, orderNo), 'REVIEW')
  expect(after).toMatchObject({ status: 'MANUAL', dueAt: plusMs(world.clock.now(), 3_600_000) })
  expect(after).not.toHaveProperty('wake')
  expect(before.dueAt).not.toBe(after.dueAt)
})

it('a task that kills its worker each time climbs its ladder like any other, and ends as a ticket', async () => {
  const world = await aLaterWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  const { pk, sk, createdAt } = taskOf(await fileOf(world, orderNo), 'DELIVER')
  const die = async () => {
    const { fence, attempts, taskNo } = taskOf(await fileOf(world, orderNo), 'DELIVER')
    const dueAt = plusMs(world.clock.now(), 120_000)
    await forceRow(
      world.ledger,
      { pk, sk },
      { status: 'PROCESSING', lockedBy: 'dead', fence: fence + 1, attempts: attempts + 1, dueAt },
      world.clock.now(),
      ['wake'],
    )
    await putRaw(world.ledger, {
      pk,
      sk: `AT#${taskNo}#${String(attempts + 1).padStart(4, '0')}`,
      et: 'ATTEMPT',
      v: 1,
      rev: 1,
      updatedAt: dueAt,
      taskNo,
      no: attempts + 1,
      openedAt: world.clock.now(),
      target: 'x',
      idempotencyKey: 'x',
    })
    world.clock.set(dueAt)
    await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)
  }
  const seen: string[] = []
  for (let life = 0; life < 6; life++) {
    await die()
    const { status, retryCount, nextExecuteAt, wake, dueAt } = taskOf(await fileOf(world, orderNo), 'DELIVER')
    seen.push(`${status} ${retryCount}`)
    if (status !== 'WAITING') break
    expect([wake, dueAt]).toEqual([nextExecuteAt, plusMs(nextExecuteAt, 150_000)])
    world.clock.set(nextExecuteAt)
  }

  const file = await fileOf(world, orderNo)
  expect(seen).toEqual(['WAITING 1', 'WAITING 2', 'WAITING 3', 'WAITING 4', 'WAITING 5', 'MANUAL 5'])
  expect(taskOf(file, 'DELIVER')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'ABANDONED', attempts: 6 })
  expect(tasksOf(file, 'START_EXECUTION')).toHaveLength(1)
  expect(file.attempts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('ABANDONED'))
  // The ladder of a delivery is 1, 3, 10, 30 and 60 min: nothing is tried again and again for hours.
  expect(world.clock.now() < plusMs(createdAt, 3 * 3_600_000)).toBe(true)
})

it('"nothing is due" and "could not look" are told apart, and one failing shard stops no other', async () => {
  const world = await aLaterWorld()
  await sweepEverythingBefore(world)
  const nothing = await sweepAll({ ledger: world.ledger, policies: bindPolicies({}) }, world.clock.now(), always)
  const orderNo = await putOrder(world)
  await forceOrder(world, orderNo, {})
  world.clock.advance(3_600_000)
  let queries = 0
  const broken = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'QueryCommand' && ++queries === 1) fail('throttled')
  })
  const blind = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'QueryCommand') fail('throttled')
  })

  const unseen = await sweepAll({ ledger: blind, policies: bindPolicies({}) }, world.clock.now(), always)
  const partly = await sweepAll({ ledger: broken, policies: bindPolicies({}) }, world.clock.now(), always)

  expect(nothing).toMatchObject({ swept: { woken: 0 }, failedShards: 0 })
  expect(unseen).toMatchObject({ swept: { woken: 0 }, failedShards: DUE_SHARDS })
  expect(partly.failedShards).toBe(1)
  expect((await orderOf(world, orderNo)).status).toBe('WAIT_PAY')
})

it('of two rounds at once each row is woken by one', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  await sweepEverythingBefore(world)
  await putAll(
    ledger,
    Array.from({ length: 30 }, (_, index) => aTask(index, world.clock.now())),
  )

  const rounds = await Promise.all(
    [1, 2].map(() => sweepAll({ ledger, policies: bindPolicies({}) }, world.clock.now(), always)),
  )

  expect(rounds.reduce((sum, { swept }) => sum + swept.woken, 0)).toBe(30)
})

it('a row that somebody writes in the same moment is left to them, and is no failure', async () => {
  const world = await aLaterWorld()
  await sweepEverythingBefore(world)
  const orderNo = await putOrder(world)
  world.clock.advance(3_600_000)
  const ledger = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'UpdateItemCommand') fail('conflict')
  })

  const report = await sweepAll({ ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  expect(report).toMatchObject({ swept: { woken: 0 }, failedRows: 0, failedShards: 0 })
  expect(report.swept.left).toBeGreaterThan(0)
  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER').status).toBe('WAITING')
})

it('a round that runs out of time finishes its page and leaves the rest for the next', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  await sweepEverythingBefore(world)
  await putAll(
    ledger,
    Array.from({ length: 150 }, (_, index) => aTask(index, world.clock.now(), { duePk: 'D#09' })),
  )

  const first = await sweepAll({ ledger, policies: bindPolicies({}) }, world.clock.now(), () => false)
  const second = await sweepAll({ ledger, policies: bindPolicies({}) }, world.clock.now(), always)

  expect([first.swept.woken, second.swept.woken]).toEqual([100, 50])
})

it('a round that time was too short for goes on where it stopped, past rows that nobody can repair', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  const now = world.clock.now()
  await sweepEverythingBefore(world)
  const unreadable = Array.from({ length: 120 }, (_, index) =>
    aTask(index, plusMs(now, -1000), { duePk: 'D#05', status: 'LOST' }),
  )
  await putAll(ledger, [...unreadable, ...Array.from({ length: 30 }, (_, n) => aTask(n, now, { duePk: 'D#05' }))])
  const places = new Map<string, DuePlace>()

  const first = await sweepAll({ ledger, policies: bindPolicies({}) }, now, () => false, places)
  const second = await sweepAll({ ledger, policies: bindPolicies({}) }, now, () => false, places)
  const third = await sweepAll({ ledger, policies: bindPolicies({}) }, now, always, places)

  expect(first).toMatchObject({ swept: { woken: 0 }, failedRows: 100, unfinishedShards: 1 })
  expect(second).toMatchObject({ swept: { woken: 30 }, failedRows: 20, unfinishedShards: 0 })
  expect(third).toMatchObject({ swept: { woken: 0 }, failedRows: 120, unfinishedShards: 0 })
  for (const { pk, sk } of unreadable)
    await ledger.client.send(new DeleteCommand({ TableName: ledger.table, Key: { pk, sk } }))
})

it('a round reads all 16 shards to their end, more than a page of each, and wakes every row once', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  const now = world.clock.now()
  await sweepEverythingBefore(world)
  const spread = Array.from({ length: 64 }, (_, index) => aTask(index, now, { duePk: dueShard(index % DUE_SHARDS) }))
  const oneShard = Array.from({ length: 230 }, (_, index) => aTask(index, now, { duePk: 'D#07' }))
  await putAll(ledger, [...spread, ...oneShard])

  const first = await sweepAll({ ledger, policies: bindPolicies({}) }, now, always)
  const second = await sweepAll({ ledger, policies: bindPolicies({}) }, now, always)

  expect(first).toMatchObject({ swept: { woken: 294 }, failedShards: 0, failedRows: 0 })
  expect(first.backlog.get('merchant')).toMatchObject({ count: 294 })
  expect(second.swept.woken).toBe(0)
})

it('a task that was woken in vain is as late as it is, though the index shows it anew every five minutes', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  await sweepEverythingBefore(world)
  const dueSince = world.clock.now()
  // A lane of its own: rows that other tests left woken come round again in these twenty minutes.
  await putAll(ledger, [aTask(1, dueSince, { lane: 'tardy' })])
  await sweepAll({ ledger, policies: bindPolicies({}) }, plusMs(dueSince, 60_000), always)

  const later = await sweepAll({ ledger, policies: bindPolicies({}) }, plusMs(dueSince, 1_200_000), always)

  expect(later.backlog.get('tardy')).toEqual({ count: 1, oldestS: 1200 })
})

it('a held task is not late, and open tickets are counted apart from the backlog', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  await sweepEverythingBefore(world)
  const now = world.clock.now()
  await putAll(ledger, [
    aTask(1, now, { lastErrorCode: 'NO_HANDLER' }),
    aTask(2, now, { status: 'MANUAL' }),
    aTask(3, now, { status: 'MANUAL' }),
  ])

  const report = await sweepAll({ ledger, policies: bindPolicies({}) }, now, always)

  expect(report.backlog.size).toBe(0)
  expect(report.tickets).toBe(2)
})

// The last one: its row stays due for ever.
it('a row that is not of its schema is counted and hides none of its neighbours', async () => {
  const world = await aLaterWorld()
  const { ledger } = world
  await sweepEverythingBefore(world)
  const now = world.clock.now()
  const good = Array.from({ length: 20 }, (_, index) => aTask(index, now, { duePk: 'D#03' }))
  await putAll(ledger, [aTask(99, plusMs(now, -1), { duePk: 'D#03', status: 'ODD' }), ...good])

  const report = await sweepAll({ ledger, policies: bindPolicies({}) }, now, always)

  expect(report).toMatchObject({ swept: { woken: 20 }, failedRows: 1, failedShards: 0 })
})
