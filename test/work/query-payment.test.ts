import { expect, it } from 'vitest'
import { MOVING_WINDOW_MS } from '../../functions/work/asking/expiry.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { closable, closed, moving, openDesk, paidAnswer, unknown, withDesk } from '../support/desk.ts'
import {
  fileOf,
  forceOrder,
  freshTxn,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
} from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const HOUR = 3_600_000

async function runAtItsTime(
  world: World,
  deps: World['workDeps'],
  orderNo: Parameters<typeof fileOf>[1],
): Promise<void> {
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(task.nextExecuteAt)
  await runTask(deps, messageFor(task, world.clock.now()), 'worker-1')
}

it('an order whose callback never comes is found paid by the first question, five seconds after its attempt began', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([paidAnswer(orderNo, freshTxn())]))

  await runAtItsTime(world, deps, orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID' })
  expect(file.journal.at(-1)).toMatchObject({ to: 'PAID', operatorType: 'QUERY' })
  expect(file.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(taskOf(file, 'QUERY_PAYMENT')).toMatchObject({ status: 'SUCCESS', attempts: 1 })
})

it('whoever comes second does nothing: a callback after the query changes no row of the order', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const txn = freshTxn()
  await runAtItsTime(world, withDesk(world, openDesk([paidAnswer(orderNo, txn)])), orderNo)
  const before = await fileOf(world, orderNo)

  await world.take(aCallback(paid(orderNo, { txn })))

  const after = await fileOf(world, orderNo)
  expect(after.order).toEqual(before.order)
  expect(after.payments).toHaveLength(1)
  expect(after.callbacks).toMatchObject([{ verdict: 'duplicate' }])
})

it.each([
  ['not paid yet', closable],
  ['no definite answer', unknown],
] as const)('%s keeps the order open and the task on its ladder', async (_name, answer) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await runAtItsTime(world, withDesk(world, openDesk([answer])), orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAYING' })
  expect(taskOf(file, 'QUERY_PAYMENT')).toMatchObject({ status: 'RETRY', retryCount: 1 })
})

it('money under way is looked at each half hour, without using a retry or the time that the question has', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const before = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')

  await runAtItsTime(world, withDesk(world, openDesk([moving])), orderNo)

  const after = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  const waitMs = Date.parse(after.nextExecuteAt) - Date.parse(world.clock.now())
  expect(after).toMatchObject({ status: 'RETRY', retryCount: 0 })
  expect(waitMs).toBe(HOUR / 2)
  expect(Date.parse(after.deadlineAt)).toBe(Date.parse(before.deadlineAt) + waitMs)
})

it('a look of the late watch that got no answer is repeated, and is not counted as the last one', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const closedAt = world.clock.now()
  await forceOrder(world, orderNo, { status: 'CLOSED', closedAt })
  world.clock.set(plusMs(closedAt, 24 * HOUR))
  const deps = withDesk(world, openDesk([unknown, paidAnswer(orderNo, freshTxn())]))

  await runAtItsTime(world, deps, orderNo)
  await runAtItsTime(world, deps, orderNo)

  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'LATE' }])
})

it('an order that was paid before its close with all callbacks lost is found as late money within the hour', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const silent = withDesk(world, openDesk([closable, closable, closed], [closed]))
  await runAtItsTime(world, silent, orderNo)
  const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(close.nextExecuteAt)
  await runTask(silent, messageFor(close, world.clock.now()), 'worker-1')
  const closedAt = (await orderOf(world, orderNo)).closedAt
  expect(closedAt).toBeDefined()

  const honest = withDesk(world, openDesk([paidAnswer(orderNo, freshTxn())]))
  await runAtItsTime(world, honest, orderNo)
  await runAtItsTime(world, honest, orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'CLOSED' })
  expect(file.payments).toMatchObject([{ role: 'LATE', reserved: 8800 }])
  expect(Date.parse(world.clock.now())).toBeLessThanOrEqual(Date.parse(closedAt ?? '') + HOUR + 60_000)
})

it('the late watch looks after 1, 6 and 24 hours and then leaves the payment to the bill', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([closable, closed, closable], [closed]))
  const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(close.nextExecuteAt)
  await runTask(deps, messageFor(close, world.clock.now()), 'worker-1')
  const closedAt = Date.parse((await orderOf(world, orderNo)).closedAt ?? '')
  const looks: number[] = []

  for (let round = 0; round < 8; round++) {
    await runAtItsTime(world, deps, orderNo)
    const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
    if (task.lastExecuteAt !== undefined) looks.push(Math.round((Date.parse(task.lastExecuteAt) - closedAt) / HOUR))
    if (task.status === 'SUCCESS') break
  }

  expect([...new Set(looks)].filter((hours) => hours > 0)).toEqual([1, 6, 24])
  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({
    status: 'SUCCESS',
    resultSnapshot: { endedBecause: 'LEFT_TO_THE_BILL' },
  })
})

it('a payAttempt of a channel without query is not asked: the task ends at once and says so', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await runAtItsTime(world, withDesk(world, openDesk([])), orderNo)

  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({
    status: 'CLOSED',
    attempts: 0,
    resultSnapshot: { endedBecause: 'QUERY_UNSUPPORTED' },
  })
})

it('a channel that says processing beyond every bank debit ends with one person asked, the order still open', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([moving]))
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(plusMs(task.createdAt, MOVING_WINDOW_MS))

  await runTask(deps, messageFor(task, world.clock.now()), 'worker-1')

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAYING' })
  expect(taskOf(file, 'QUERY_PAYMENT')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'TOTAL_TIME_USED_UP' })
})

it('an order that is paid through another attempt leaves nothing to ask about', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await startAttempt(world, orderNo)
  await world.take(aCallback(paid(orderNo)))
  const desk = openDesk([closable])

  await runAtItsTime(world, withDesk(world, desk), orderNo)

  expect(desk.calls).toEqual([])
  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({ status: 'SUCCESS', attempts: 0 })
})
