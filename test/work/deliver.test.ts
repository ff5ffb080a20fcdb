import { expect, it } from 'vitest'
import { parseTaskNo } from '../../modules/core/ids.ts'
import { sure } from '../support/core-builders.ts'
import {
  collectionOf,
  fileOf,
  forceOrder,
  movesOf,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  putRaw,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function aPaidOrder(world: World, lines = 1) {
  const orderNo = await putPayingOrder(world, { lines })
  await world.take(aCallback(paid(orderNo)))
  return { orderNo, deliveries: tasksOf(await fileOf(world, orderNo), 'DELIVER') }
}

const aFreeze = (world: World) => ({ taskNo: sure(parseTaskNo('A'.repeat(26))), reason: 'TEST', at: world.clock.now() })

it('each line is delivered once, and the last one makes the order DELIVERED', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world, 3)
  const statuses: string[] = []

  for (const task of deliveries) {
    await world.run(task)
    statuses.push((await orderOf(world, orderNo)).status)
  }

  const file = await fileOf(world, orderNo)
  expect(statuses).toEqual(['PAID', 'PAID', 'DELIVERED'])
  expect(file.lines.every(({ deliveredAt }) => deliveredAt !== undefined)).toBe(true)
  expect(file.order).toMatchObject({ undelivered: 0 })
  expect(file.order).not.toHaveProperty('activeTask')
  expect(movesOf(file).at(-1)).toBe('PAID>DELIVERED')
  expect(world.merchant.received.map(({ id }) => id).toSorted()).toEqual(
    file.lines.map(({ deliveryNo }) => deliveryNo).toSorted(),
  )
})

it('a delivery has the same id and the same bytes in all its tries', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  // A map comes out of the table in another order each time.
  const attributes = Object.fromEntries(['shop', 'desk', 'lang', 'club', 'gift', 'note'].map((name) => [name, name]))
  await forceOrder(world, orderNo, { attributes })
  world.merchant.answer = () => ({ kind: 'unknown', networkErrorType: 'timeout' })
  for (let attempt = 0; attempt < 3; attempt++) {
    world.clock.set(taskOf(await fileOf(world, orderNo), 'DELIVER').nextExecuteAt)
    for (const task of deliveries) await world.run(task)
  }

  const [first] = world.merchant.received
  expect(world.merchant.received).toEqual([first, first, first])
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    type: 'order.deliver',
    data: { orderNo, deliveryNo: first?.id, line: 1, sku: 'SKU-1', quantity: 1 },
  })
})

it('the ladder is 1, 3, 10, 30 and 60 minutes; then a person, with the task that starts the ticket', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  world.merchant.answer = () => ({ kind: 'unknown', code: 'HTTP_500', httpStatus: 500 })
  const waits: number[] = []

  for (let attempt = 1; attempt <= 6; attempt++) {
    for (const task of deliveries) await world.run(task)
    const { nextExecuteAt, status } = taskOf(await fileOf(world, orderNo), 'DELIVER')
    if (status === 'RETRY') waits.push((Date.parse(nextExecuteAt) - Date.parse(world.clock.now())) / 60_000)
    world.clock.set(nextExecuteAt)
  }

  const file = await fileOf(world, orderNo)
  const ticket = taskOf(file, 'DELIVER')
  expect(waits).toEqual([1, 3, 10, 30, 60])
  expect(ticket).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'RETRIES_USED_UP',
    retryCount: 5,
    run: 1,
    failedAt: world.clock.now(),
    findPk: expect.stringMatching(/^T#MANUAL#merchant#\d$/),
  })
  expect(ticket).not.toHaveProperty('wake')
  expect(ticket).not.toHaveProperty('lockedBy')
  expect(taskOf(file, 'START_EXECUTION')).toMatchObject({ bizNo: `${ticket.taskNo}/1`, status: 'WAITING' })
  expect(file.order).not.toHaveProperty('activeTask')
  expect(file.attempts.every(({ closedAt, outcome }) => closedAt !== undefined && outcome === 'unknown')).toBe(true)
})

it('a rejection goes to a person at once, with the code and the masked words of the answer', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  world.merchant.answer = () => ({ kind: 'rejected', code: 'HTTP_404', httpStatus: 404, message: 'no such shop' })

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(taskOf(file, 'DELIVER')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'HTTP_404',
    lastErrorMsg: 'no such shop',
    retryCount: 0,
  })
  expect(file.attempts).toMatchObject([{ outcome: 'rejected', code: 'HTTP_404', httpStatus: 404 }])
})

it('a wrong key of ours pauses the delivery, uses no retry and opens no ticket', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  const before = taskOf(await fileOf(world, orderNo), 'DELIVER')
  world.merchant.answer = () => {
    throw Object.assign(new Error('no value'), { code: 'SECRET_MISSING' })
  }

  for (let attempt = 0; attempt < 8; attempt++) {
    for (const task of deliveries) await world.run(task)
    world.clock.advance(5 * 60_000)
  }

  const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
  expect(task).toMatchObject({ status: 'RETRY', retryCount: 0, lastErrorCode: 'SECRET_MISSING', attempts: 8 })
  expect(Date.parse(task.deadlineAt) - Date.parse(before.deadlineAt)).toBe(8 * 5 * 60_000)
  expect(tasksOf(await fileOf(world, orderNo), 'START_EXECUTION')).toHaveLength(0)
})

it('an unforeseen error of a handler counts as unknown: it may have been sent', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  world.merchant.answer = () => {
    throw new TypeError('a bug')
  }

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(taskOf(file, 'DELIVER')).toMatchObject({ status: 'RETRY', lastErrorCode: 'HANDLER_THREW', retryCount: 1 })
  expect(file.attempts).toMatchObject([{ outcome: 'unknown' }])
})

it('Retry-After lengthens the wait', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  world.merchant.answer = () => ({ kind: 'unknown', code: 'HTTP_429', httpStatus: 429, retryAfterMs: 120_000 })

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(Date.parse(taskOf(file, 'DELIVER').nextExecuteAt) - Date.parse(world.clock.now())).toBe(120_000)
  expect(file.attempts).toMatchObject([{ retryAfterMs: 120_000, rule: 'Retry-After' }])
})

it.each([
  ['DELIVERED', 'SUCCESS'],
  ['COMPLETED', 'SUCCESS'],
  ['REFUNDING', 'CLOSED'],
  ['REFUNDED', 'CLOSED'],
] as const)('a delivery of a %s order ends as %s without an attempt, with the reason', async (status, ended) => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  await forceOrder(world, orderNo, { status })

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  const task = taskOf(file, 'DELIVER')
  expect(task).toMatchObject({
    status: ended,
    attempts: 0,
    resultSnapshot: { endedBecause: `ORDER_${status === 'COMPLETED' ? 'DELIVERED' : status}` },
  })
  for (const name of ['wake', 'dueAt', 'duePk', 'findPk', 'lockedBy']) expect(task).not.toHaveProperty(name)
  expect(file.attempts).toHaveLength(0)
  expect(world.merchant.received).toHaveLength(0)
})

it('a delivery whose order is not paid goes to a person without an attempt', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  await forceOrder(world, orderNo, { status: 'WAIT_PAY' })

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  const ticket = taskOf(file, 'DELIVER')
  expect(ticket).toMatchObject({ status: 'MANUAL', lastErrorCode: 'ORDER_NOT_PAID', attempts: 0, run: 1 })
  expect(ticket).toMatchObject({ findPk: expect.stringMatching(/^T#MANUAL#/), dueAt: expect.any(String) })
  expect(tasksOf(file, 'START_EXECUTION')).toHaveLength(1)
  expect(world.merchant.received).toHaveLength(0)
})

it('a delivery of a frozen order is parked without an attempt, and its deadline moves along', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  const before = taskOf(await fileOf(world, orderNo), 'DELIVER')
  await forceOrder(world, orderNo, { frozen: aFreeze(world) })

  for (const task of deliveries) await world.run(task)

  const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
  expect(task).toMatchObject({ status: 'WAITING', retryCount: 0, attempts: 0, lastErrorCode: 'ORDER_FROZEN' })
  expect(task.wake).toBe(task.nextExecuteAt)
  expect(Date.parse(task.deadlineAt) - Date.parse(before.deadlineAt)).toBe(task.parkedMs)
  expect(world.merchant.received).toHaveLength(0)
})

it('while one effect works on an order the other is parked, and goes after it', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world, 2)
  const [one, two] = deliveries
  if (one === undefined || two === undefined) throw new Error('two deliveries')
  const secondRun = Promise.withResolvers<void>()
  world.merchant.answer = async () => {
    await world.run(two, 'worker-2')
    secondRun.resolve()
    return { kind: 'done' }
  }

  await world.run(one, 'worker-1')
  await secondRun.promise
  const parked = (await fileOf(world, orderNo)).tasks.find(({ taskNo }) => taskNo === two.taskNo)
  world.merchant.answer = () => ({ kind: 'done' })
  world.clock.advance(7_000)
  await world.run(two, 'worker-2')

  expect(parked).toMatchObject({ status: 'WAITING', lastErrorCode: 'ORDER_BUSY', attempts: 0 })
  expect((await orderOf(world, orderNo)).status).toBe('DELIVERED')
})

it('what was delivered while the order was frozen stays delivered: the outcome is a fact', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  world.merchant.answer = async () => {
    await forceOrder(world, orderNo, { frozen: aFreeze(world) })
    return { kind: 'done' }
  }

  for (const task of deliveries) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'DELIVERED', frozen: { reason: 'TEST' } })
  expect(taskOf(file, 'DELIVER').status).toBe('SUCCESS')
  expect(file.order).not.toHaveProperty('activeTask')
})

it('a delivery of an order that is gone goes to a person', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const { deliveries } = await aPaidOrder(world)
  const [task] = deliveries
  if (task === undefined) throw new Error('a delivery')
  await putRaw(world.ledger, { ...task, pk: `ORDER#${orderNo}x` })

  await world.run({ pk: `ORDER#${orderNo}x`, taskNo: task.taskNo })

  expect(taskOf(await collectionOf(world, `ORDER#${orderNo}x`), 'DELIVER')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'ORDER_NOT_FOUND',
  })
})
