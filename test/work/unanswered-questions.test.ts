import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { MOVING_WINDOW_MS } from '../../functions/work/asking/expiry.ts'
import { plusMs } from '../../modules/core/instant.ts'
import type { OrderStatus } from '../../modules/core/order.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { sure } from '../support/core-builders.ts'
import { closable, moving, unknown } from '../support/desk.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { CrashError, withFaults } from '../support/faults.ts'
import { endOf, fileOf, forceOrder, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function openAsked() {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  return { channel, world, orderNo: await putPayingOrder(world) }
}

it('a payAttempt whose channel reference never reached us is found paid by our own number', async () => {
  const { channel, world, orderNo } = await openAsked()
  channel.pay(orderNo)
  const { payAttempts } = await fileOf(world, orderNo)

  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(payAttempts[0]).not.toHaveProperty('channelRef')
  expect(channel.calls).toEqual([`query ${orderNo}`])
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it('no answer, and whatever else is not "paid", changes nothing but the time of the next question', async () => {
  const { channel, world, orderNo } = await openAsked()
  const before = await fileOf(world, orderNo)
  const answers = [closable, unknown]
  channel.ask = () => answers.shift() ?? unknown

  const counts = []
  for (let round = 0; round < 5; round++) counts.push((await runWhenDue(world, orderNo, 'QUERY_PAYMENT')).retryCount)

  const after = await fileOf(world, orderNo)
  expect(counts).toEqual([1, 2, 3, 4, 5])
  expect(after.order).toEqual(before.order)
  expect(after.payAttempts).toEqual(before.payAttempts)
  expect(after.lines).toEqual(before.lines)
})

it('"processing" to the end of the ladder is one ticket with every question in it; a later success still wins', async () => {
  const { channel, world, orderNo } = await openAsked()
  const ask = channel.ask
  channel.ask = () => moving
  let task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  let rounds = 0
  for (; rounds < 5; rounds++) task = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  const waiting = task
  // The rounds between are the same.
  world.clock.set(plusMs(task.createdAt, MOVING_WINDOW_MS))
  while (task.status !== 'MANUAL' && rounds++ < 40) task = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  const stuck = await fileOf(world, orderNo)
  channel.ask = ask

  await world.take(aCallback(paid(orderNo)))

  expect(waiting).toMatchObject({ status: 'RETRY', retryCount: 0 })
  expect(stuck.order?.status).toBe('PAYING')
  expect(stuck.payAttempts).toMatchObject([{ state: 'OPEN' }])
  expect(stuck.tasks.filter(({ status }) => status === 'MANUAL')).toHaveLength(1)
  expect(stuck.attempts.filter(({ taskNo }) => taskNo === task.taskNo)).toHaveLength(rounds)
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it.each([
  ['denied', 'CLOSED'],
  ['completed', 'PAID APPLIED'],
] as const)('money that is under way for two days and then %s ends in %s', async (end, expected) => {
  const { channel, world, orderNo } = await openAsked()
  const { ask } = channel
  channel.ask = () => moving
  for (let round = 0; round < 3; round++) {
    await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
    await runWhenDue(world, orderNo, 'CLOSE_ORDER')
    world.clock.advance(DAY * 0.7)
  }
  const underWay = await fileOf(world, orderNo)
  channel.ask = ask
  if (end === 'completed') channel.pay(orderNo)
  else channel.expire(orderNo)

  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(endOf(underWay)).toBe('PAYING')
  expect(underWay.tasks.filter(({ bizType }) => bizType === 'DELIVER')).toEqual([])
  expect(underWay.tasks.filter(({ status }) => status === 'MANUAL')).toEqual([])
  expect(endOf(await fileOf(world, orderNo))).toBe(expected)
})

const statuses: readonly OrderStatus[] = [
  'WAIT_PAY',
  'PAYING',
  'PAY_FAILED',
  'PAID',
  'DELIVERED',
  'COMPLETED',
  'CLOSED',
  'REFUNDING',
  'REFUNDED',
]

it.each(statuses)(
  'a question about a payAttempt of a %s order ends or has a next time, never as a stuck claim',
  async (status) => {
    const { channel, world, orderNo } = await openAsked()
    channel.pay(orderNo)
    await forceOrder(world, orderNo, { status, ...(status === 'CLOSED' && { closedAt: world.clock.now() }) })

    const task = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

    const file = await fileOf(world, orderNo)
    expect(['SUCCESS', 'RETRY', 'MANUAL', 'WAITING']).toContain(task.status)
    expect(task.status === 'SUCCESS' || task.dueAt !== undefined).toBe(true)
    expect(file.order).not.toHaveProperty('activeTask')
    expect(file.payments.length === 1 || status === 'CLOSED').toBe(true)
  },
)

it('an order that is days older than ten minutes is still looked at, asked about and found paid', async () => {
  const { channel, world, orderNo } = await openAsked()
  channel.pay(orderNo)
  world.clock.advance(2 * DAY)

  const swept = await sweepRow(
    { ledger: world.ledger, policies: bindPolicies({}) },
    await orderOf(world, orderNo),
    world.clock.now(),
  )
  const task = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(swept).toBe('looked at')
  expect(task.status).toBe('SUCCESS')
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it('an exception in the middle of a question makes nothing FAILED: it is asked again', async () => {
  const { channel, world, orderNo } = await openAsked()
  const { ask } = channel
  channel.ask = () => {
    throw new TypeError('what nobody foresaw')
  }
  const first = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  const between = await fileOf(world, orderNo)
  channel.ask = ask
  channel.pay(orderNo)

  const second = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(first).toMatchObject({ status: 'RETRY', retryCount: 1, lastErrorCode: 'HANDLER_THREW' })
  expect(between.order?.status).toBe('PAYING')
  expect(between.payAttempts).toMatchObject([{ state: 'OPEN' }])
  expect(second.status).toBe('SUCCESS')
})

it('a payment that the buyer never began is not FAILED: it stays open until it is closed for its time', async () => {
  const { channel, world, orderNo } = await openAsked()
  channel.ask = () => unknown

  for (let round = 0; round < 4; round++) await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAYING')
  expect(file.payAttempts).toMatchObject([{ state: 'OPEN' }])
})

it('a worker that died with its question out holds the task for its lease; the next one asks anew', async () => {
  const { channel, world, orderNo } = await openAsked()
  channel.pay(orderNo)
  let isDead = false
  const ledger = withFaults(world.ledger, ({ fail }) => {
    if (isDead) fail(new CrashError('The process is gone.'))
  })
  const dying = worldOn(ledger, world.clock, world.merchant, {
    channel,
    around: async (_call, run) => {
      await run()
      isDead = true
      throw new CrashError('The process is gone.')
    },
  })
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(task.nextExecuteAt)
  await expect(dying.run(task, 'dying')).rejects.toThrow(CrashError)
  await world.run(task, 'early')
  const held = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(sure(held.dueAt))

  const swept = await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, held, world.clock.now())
  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  const file = await fileOf(world, orderNo)
  expect(held).toMatchObject({ status: 'PROCESSING', lockedBy: 'dying' })
  expect(swept).toBe('taken back')
  expect(channel.calls).toHaveLength(2)
  expect(file.attempts.map(({ outcome }) => outcome)).toEqual(['ABANDONED', 'done'])
  expect(endOf(file)).toBe('PAID APPLIED')
})
