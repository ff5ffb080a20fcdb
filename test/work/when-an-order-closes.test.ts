import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import type { Asked } from '../../functions/work/asking/channel-desk.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { sure } from '../support/core-builders.ts'
import { unknown } from '../support/desk.ts'
import { runWhenDue } from '../support/due-task.ts'
import { brokenCloses, openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, movesOf, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function openOverdue() {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  const { closeAt } = await orderOf(world, orderNo)
  return { channel, world, orderNo, closeAt, task: taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER') }
}

it('a close timer that fires twice, a second apart, closes once', async () => {
  const { channel, world, orderNo, closeAt, task } = await openOverdue()
  world.clock.set(closeAt)

  await world.run(task, 'worker-1')
  world.clock.advance(1000)
  await world.run(task, 'worker-2')

  const file = await fileOf(world, orderNo)
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAYING', 'PAYING>CLOSED'])
  expect(channel.calls.filter((call) => call.startsWith('close'))).toHaveLength(1)
  expect(brokenCloses(channel, file)).toEqual([])
})

it('a close timer that fires 70 s late closes all the same, and one that fires too early does not', async () => {
  const { world, orderNo, closeAt, task } = await openOverdue()
  await world.run(task)
  const early = await orderOf(world, orderNo)
  world.clock.set(closeAt)
  world.clock.advance(70_000)

  await world.run(task)

  expect(early.status).toBe('PAYING')
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('a close timer that fires after the payment leaves the order as it is and asks nobody', async () => {
  const { channel, world, orderNo, closeAt, task } = await openOverdue()
  await world.take(aCallback(paid(orderNo)))
  world.clock.set(closeAt)

  await world.run(task)

  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
  expect(channel.calls).toEqual([])
})

it('a close timer that never fires is noticed by the sweep within its period, and the order closes', async () => {
  const { world, orderNo, closeAt, task } = await openOverdue()
  world.clock.set(closeAt)
  world.clock.advance(150_000)

  const swept = await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, task, world.clock.now())
  const { wake } = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  await world.run(task)

  expect(swept).toBe('woken')
  expect(wake).toBe(world.clock.now())
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('after the local close the buyer can pay nowhere', async () => {
  const { channel, world, orderNo } = await openOverdue()

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
  expect(channel.pay(orderNo)).toBeUndefined()
})

it('a try that failed is closed at its channel too: no other card can pay it after the local close', async () => {
  const { channel, world, orderNo } = await openOverdue()
  await world.take(aCallback({ order_no: orderNo }, { type: 'failed' }))

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(endOf(await fileOf(world, orderNo))).toBe('CLOSED')
  expect(channel.pay(orderNo)).toBeUndefined()
})

it('"not found" at the question is no proof: the order stays open until its channel gives one', async () => {
  const { channel, world, orderNo } = await openOverdue()
  const notFound: Asked = {
    kind: 'answer',
    answer: { state: 'unknown', outcome: { kind: 'notYet', code: 'TRADE_NOT_EXIST' } },
  }
  const { ask } = channel
  channel.ask = () => notFound
  const task = await runWhenDue(world, orderNo, 'CLOSE_ORDER')
  const between = await fileOf(world, orderNo)
  channel.ask = ask

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(task).toMatchObject({ status: 'RETRY', lastErrorCode: 'TRADE_NOT_EXIST' })
  expect(between.order?.status).toBe('PAYING')
  expect(between.lines).toMatchObject([{ state: 'RESERVED' }])
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

const errorBodies = [
  ['an error in a 200', { kind: 'unknown', code: 'SYSTEM_ERROR', httpStatus: 200 }, 'RETRY'],
  ['a refusal', { kind: 'rejected', code: 'ILLEGAL_STATUS', httpStatus: 402 }, 'MANUAL'],
  ['a wrong key', { kind: 'misconfigured', code: 'INVALID_SIGN', httpStatus: 401 }, 'RETRY'],
] as const

it.each(errorBodies)('%s in answer to a close closes nothing and frees no goods', async (_name, outcome, status) => {
  const { channel, world, orderNo } = await openOverdue()
  const { ask } = channel
  channel.ask = (name, attempt) =>
    name === 'query' ? ask(name, attempt) : { kind: 'answer', answer: { state: 'unknown', outcome } }

  const task = await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  const file = await fileOf(world, orderNo)
  expect(task.status).toBe(status)
  expect(file.order?.status).toBe('PAYING')
  expect(file.lines).toMatchObject([{ state: 'RESERVED' }])
  expect(file.payAttempts).toMatchObject([{ state: 'OPEN' }])
})

it('an order whose payAttempt is still pending expires all the same', async () => {
  const { channel, world, orderNo } = await openOverdue()
  const before = await fileOf(world, orderNo)

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(before.payAttempts).toMatchObject([{ state: 'OPEN' }])
  expect(brokenCloses(channel, await fileOf(world, orderNo))).toEqual([])
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('one error that nobody foresaw does not end a close', async () => {
  const { channel, world, orderNo } = await openOverdue()
  const { ask } = channel
  channel.ask = () => {
    throw new TypeError('what nobody foresaw')
  }
  const task = await runWhenDue(world, orderNo, 'CLOSE_ORDER')
  const between = await orderOf(world, orderNo)
  channel.ask = ask

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(task).toMatchObject({ status: 'RETRY', lastErrorCode: 'HANDLER_THREW' })
  expect(between.status).toBe('PAYING')
  expect(between).not.toHaveProperty('activeTask')
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('a ladder that ends unanswered ends at a person, found by the sweep each hour, with its execution started', async () => {
  const { channel, world, orderNo, task } = await openOverdue()
  channel.ask = () => unknown
  world.clock.set(task.deadlineAt)

  const ended = await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  const file = await fileOf(world, orderNo)
  expect(ended).toMatchObject({ status: 'MANUAL', lastErrorCode: 'TOTAL_TIME_USED_UP' })
  expect(sure(ended.dueAt) > world.clock.now()).toBe(true)
  expect(taskOf(file, 'START_EXECUTION')).toMatchObject({ status: 'WAITING' })
  expect(file.order?.status).toBe('PAYING')
})
