import { expect, it } from 'vitest'
import { runTask } from '../../functions/work/run-task.ts'
import { sure } from '../support/core-builders.ts'
import { closable, closed, moving, openDesk, paidAnswer, unknown, withDesk } from '../support/desk.ts'
import {
  fileOf,
  forceRow,
  freshTxn,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
} from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function closeAtItsTime(
  world: World,
  deps: World['workDeps'],
  orderNo: Parameters<typeof fileOf>[1],
): Promise<void> {
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(task.nextExecuteAt)
  await runTask(deps, messageFor(task, world.clock.now()), 'worker-1')
}

it('an order closes only after its channel was asked, closed the payment and confirmed it', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const desk = openDesk([closable, closed], [closed])

  await closeAtItsTime(world, withDesk(world, desk), orderNo)

  const file = await fileOf(world, orderNo)
  expect(desk.calls.map((call) => call.split(' ')[0])).toEqual(['query', 'close', 'query'])
  expect(file.order).toMatchObject({ status: 'CLOSED' })
  expect(file.payAttempts).toMatchObject([{ state: 'CLOSED' }])
  expect(file.lines).toMatchObject([{ state: 'RELEASED' }])
})

it('an unknown answer never closes: the order stays open and locks its goods until the channel answers', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await closeAtItsTime(world, withDesk(world, openDesk([unknown])), orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAYING' })
  expect(file.order).not.toHaveProperty('activeTask')
  expect(file.lines).toMatchObject([{ state: 'RESERVED' }])
  expect(taskOf(file, 'CLOSE_ORDER')).toMatchObject({ status: 'RETRY', retryCount: 1 })
})

it('unknown for two hours makes a ticket, and still closes nothing', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([unknown]))

  for (let round = 0; round < 30; round++) {
    await closeAtItsTime(world, deps, orderNo)
    if (taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER').status === 'MANUAL') break
  }

  const file = await fileOf(world, orderNo)
  expect(taskOf(file, 'CLOSE_ORDER').status).toBe('MANUAL')
  expect(file.order).toMatchObject({ status: 'PAYING' })
})

it('a close that the channel does not confirm is no close (a lying or lagging channel)', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await closeAtItsTime(world, withDesk(world, openDesk([closable, closable], [closed])), orderNo)

  expect((await fileOf(world, orderNo)).order).toMatchObject({ status: 'PAYING' })
})

it('found paid while closing, the order becomes PAID and its close has nothing left to do', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([paidAnswer(orderNo, freshTxn())], [closed]))

  await closeAtItsTime(world, deps, orderNo)
  await closeAtItsTime(world, deps, orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID' })
  expect(file.order).not.toHaveProperty('activeTask')
  expect(file.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(taskOf(file, 'CLOSE_ORDER')).toMatchObject({
    status: 'SUCCESS',
    resultSnapshot: { endedBecause: 'ORDER_PAID' },
  })
})

it('paid in the second between question and close, the close answer counts', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([closable], [paidAnswer(orderNo, freshTxn())]))

  await closeAtItsTime(world, deps, orderNo)

  expect((await fileOf(world, orderNo)).order).toMatchObject({ status: 'PAID' })
})

it('a bank debit under way is waited for without using a retry and without a ticket', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const deps = withDesk(world, openDesk([moving]))

  for (let round = 0; round < 8; round++) await closeAtItsTime(world, deps, orderNo)

  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')).toMatchObject({ status: 'RETRY', retryCount: 0 })
})

it('two open attempts are both closed before the order is', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  const desk = openDesk([closable, closed, closable, closed], [closed])

  await closeAtItsTime(world, withDesk(world, desk), orderNo)

  const file = await fileOf(world, orderNo)
  expect(desk.calls).toHaveLength(6)
  expect(file.order).toMatchObject({ status: 'CLOSED' })
  expect(file.payAttempts.map(({ state }) => state)).toEqual(['CLOSED', 'CLOSED'])
})

it('the attempt that was not paid is closed at its channel, or its money becomes surplus', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await startAttempt(world, orderNo)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  await world.take(aCallback(paid(orderNo)))
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ATTEMPT')
  world.clock.set(task.nextExecuteAt)
  const late = openDesk([paidAnswer(`${orderNo}_2`, freshTxn())], [closed])

  await runTask(withDesk(world, late), messageFor(task, world.clock.now()), 'worker-1')

  const file = await fileOf(world, orderNo)
  expect(file.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'SURPLUS'])
  expect(taskOf(file, 'CLOSE_ATTEMPT').status).toBe('SUCCESS')
})

const GIVEN_BACK = {
  kind: 'answer',
  answer: { state: 'paid', outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' } },
} as const

it.each([
  ['that stands in the ledger needs no person: it was paid and somebody gave it back', true, 'SUCCESS'],
  ['that nobody knows of is a person’s', false, 'MANUAL'],
])('a second payment %s', async (_what, isBooked, status) => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await startAttempt(world, orderNo)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  await world.take(aCallback(paid(orderNo)))
  if (isBooked) await world.take(aCallback(paid(`${orderNo}_2`)))
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ATTEMPT')
  // What the try became by its money is another rule's: here the question is asked all the same.
  const attempt = (await fileOf(world, orderNo)).payAttempts.find(({ outTradeNo }) => outTradeNo.endsWith('_2'))
  await forceRow(world.ledger, sure(attempt), { state: 'OPEN' }, world.clock.now())
  world.clock.set(task.nextExecuteAt)

  await runTask(withDesk(world, openDesk([GIVEN_BACK], [closed])), messageFor(task, world.clock.now()), 'worker-1')

  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ATTEMPT').status).toBe(status)
})

it('a close asks by the payment that a hint named, which may be all that the channel knows it by', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const txn = freshTxn()
  const query = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  await forceRow(world.ledger, query, { requestSnapshot: { channelTxnId: txn } }, world.clock.now())
  const desk = openDesk([paidAnswer(orderNo, txn)])

  await closeAtItsTime(world, withDesk(world, desk), orderNo)

  expect(desk.subjects).toMatchObject([{ outTradeNo: orderNo, channelTxnId: txn }])
  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})
