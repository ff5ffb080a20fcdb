import { expect, it } from 'vitest'
import { runTask } from '../../functions/work/run-task.ts'
import { parseOrderNo } from '../../modules/core/ids.ts'
import { orderPk, orphanPk } from '../../modules/ledger/table/keys.ts'
import { sure } from '../support/core-builders.ts'
import {
  collectionOf,
  fileOf,
  freshOrderNo,
  freshTxn,
  movesOf,
  paid,
  putOrder,
  startAttempt,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { messageFor, minutesAfter, openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, START } from '../support/world-bank.ts'

/** Runs the callback's task at each of its times until it no longer waits. */
async function climbLadder(world: World, pk: string): Promise<number> {
  for (let rung = 0; rung < 100; rung++) {
    const task = taskOf(await collectionOf(world, pk), 'SETTLE_CALLBACK')
    if (task.status !== 'WAITING' && task.status !== 'RETRY') return rung
    world.clock.set(task.nextExecuteAt)
    await world.run(task)
  }
  throw new Error('The ladder has no end.')
}

it('a callback before its order waits without a ticket and pays the order on its first rung', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  const parked = await fileOf(world, orderNo)

  await putOrder(world, { orderNo })
  world.clock.advance(1000)
  await world.run(taskOf(parked, 'SETTLE_CALLBACK'))

  const file = await fileOf(world, orderNo)
  expect(verdictsOf(parked)).toEqual(['parked'])
  expect(tasksOf(parked, 'REVIEW')).toHaveLength(0)
  expect(taskOf(parked, 'SETTLE_CALLBACK')).toMatchObject({ nextExecuteAt: '2026-03-01T08:00:01.000Z' })
  expect(file.order?.status).toBe('PAID')
  expect(verdictsOf(file)).toEqual(['applied'])
  expect(tasksOf(file, 'REVIEW')).toHaveLength(0)
  expect(taskOf(file, 'SETTLE_CALLBACK').status).toBe('SUCCESS')
})

it('a callback of a payAttempt that is not announced yet finds the order once it is', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const outTradeNo = `${orderNo}_2`
  await world.take(aCallback(paid(outTradeNo)))

  await startAttempt(world, orderNo, { outTradeNo })
  await climbLadder(world, orderPk(sure(parseOrderNo(outTradeNo))))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.payAttempts).toMatchObject([{ outTradeNo, state: 'PAID' }])
})

it('the rungs are 1, 2, 4 … 32 s and then minutes, and no order in 30 minutes makes an ORPHAN with a ticket', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data))

  await climbLadder(world, orderPk(orderNo))

  const file = await fileOf(world, orderNo)
  const task = taskOf(file, 'SETTLE_CALLBACK')
  const waits = file.attempts
    .slice(1)
    .map((row, index) => Date.parse(row.openedAt) - Date.parse(file.attempts[index]?.openedAt ?? ''))
  expect(waits.slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60_000, 60_000])
  expect(task.status).toBe('SUCCESS')
  expect(Date.parse(world.clock.now()) - Date.parse(START)).toBeGreaterThan(29 * 60_000)
  expect(Date.parse(world.clock.now()) - Date.parse(START)).toBeLessThan(32 * 60_000)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN', channelTxnId: data.txn, paid: 8800, reserved: 0 }])
  expect(verdictsOf(file)).toEqual(['orphan'])
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'ORDER_NOT_FOUND' })
})

it('an order that comes after the ORPHAN is decided afresh: PAID, and the ticket has ended', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  await climbLadder(world, orderPk(orderNo))

  await putOrder(world, { orderNo })
  const again = tasksOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK').filter(({ status }) => status === 'WAITING')
  for (const task of again) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(again).toHaveLength(1)
  expect(file.order?.status).toBe('PAID')
  expect(file.payments).toMatchObject([{ role: 'APPLIED', orderNo }])
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'SUCCESS', resultSnapshot: { endedBecause: 'ORDER_ARRIVED' } })
  expect(taskOf(file, 'REVIEW')).not.toHaveProperty('dueAt')
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAID'])
  expect(verdictsOf(file)).toEqual(['applied'])
})

it('an ORPHAN of another amount than the order that comes is MISMATCHED, not applied', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo, { amount: 100 })))
  await climbLadder(world, orderPk(orderNo))

  await putOrder(world, { orderNo })
  for (const task of tasksOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'WAIT_PAY', frozen: { reason: 'MISMATCH_AMOUNT' } })
  expect(file.payments).toMatchObject([{ role: 'MISMATCHED', paid: 100 }])
})

it('a payment without an order number is kept under its transaction and ends as an ORPHAN with a ticket', async () => {
  const world = await openWorld()
  const data = paid(undefined, { txn: freshTxn() })
  const pk = orphanPk(BANK, String(data['txn']))
  await world.take(aCallback(data))

  await climbLadder(world, pk)

  const file = await collectionOf(world, pk)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN', channelTxnId: data.txn }])
  expect(file.payments[0]).not.toHaveProperty('orderNo')
  expect(taskOf(file, 'REVIEW').status).toBe('MANUAL')
})

it('an ORPHAN without a number moves to its order when the channel tells the number later', async () => {
  const world = await openWorld()
  const txn = freshTxn()
  const pk = orphanPk(BANK, txn)
  await world.take(aCallback(paid(undefined, { txn })))
  await climbLadder(world, pk)
  const orderNo = await putOrder(world)

  await world.take(aCallback(paid(orderNo, { txn })))

  const [file, before] = [await fileOf(world, orderNo), await collectionOf(world, pk)]
  expect(file.order?.status).toBe('PAID')
  expect(file.payments).toMatchObject([{ role: 'APPLIED', channelTxnId: txn }])
  expect(before.payments).toHaveLength(0)
  expect(taskOf(before, 'REVIEW').status).toBe('SUCCESS')
})

it('two bodies of one early event are both decided: the second sum is a conflict', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data, { eventId: 'evt-early' }))
  await world.take(aCallback({ ...data, amount: 1 }, { eventId: 'evt-early' }))

  await putOrder(world, { orderNo })
  world.clock.advance(1000)
  for (const task of tasksOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(file.payments).toHaveLength(1)
  expect(file.order?.frozen).toBeDefined()
  expect(verdictsOf(file)).not.toContain('parked')
})

it('a ladder that is configured shorter still ends in an ORPHAN with its ticket, not in a failed task', async () => {
  const world = await openWorld({
    overrides: { SETTLE_CALLBACK: { ladder: { kind: 'steps', stepsMs: [1000, 1000] }, totalMs: 3_600_000 } },
  })
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))

  await climbLadder(world, orderPk(orderNo))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN' }])
  expect(taskOf(file, 'SETTLE_CALLBACK').status).toBe('SUCCESS')
})

it('the last try that crosses the deadline while it works still records the money', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(task.deadlineAt)
  world.clock.advance(-5)
  const tick = () => {
    world.clock.advance(3)
    return world.clock.now()
  }
  const ticking = { ...world.workDeps, now: tick }

  await runTask(ticking, messageFor(task, task.nextExecuteAt), 'worker')
  await climbLadder(world, orderPk(orderNo))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN' }])
  expect(taskOf(file, 'SETTLE_CALLBACK').status).toBe('SUCCESS')
})

it('the bodies of one early event at minutes apart all end decided', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const data = paid(orderNo)
  await world.take(aCallback(data, { eventId: 'evt-twice' }))
  world.clock.set(minutesAfter(START, 5))
  await world.take(aCallback(data, { eventId: 'evt-twice', extra: { sent: 2 } }))

  await putOrder(world, { orderNo })
  world.clock.advance(120_000)
  for (const task of tasksOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(verdictsOf(file).toSorted()).toEqual(['applied', 'duplicate'])
})
