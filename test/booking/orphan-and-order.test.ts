import { expect, it } from 'vitest'
import { parseOrderNo, parseSku } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { createOrderWrites, newOrder } from '../../modules/ledger/order/create-order.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { anOrderBody, openOrdersApi } from '../orders/orders-api.ts'
import { money, sure } from '../support/core-builders.ts'
import { fileOf, freshOrderNo, paid, putOrder, startAttempt, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

/** Money for an order that never came, at the end of its ladder. */
async function makeOrphan(world: World, orderNo: ReturnType<typeof freshOrderNo>): Promise<void> {
  const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(plusMs(task.deadlineAt, 1))
  await world.run(task)
}

function anOrderOf(world: World, orderNo: ReturnType<typeof freshOrderNo>) {
  const now = world.clock.now()
  return newOrder(
    {
      orderNo,
      ...money(8800),
      lines: [{ sku: sure(parseSku('tea')), qty: 1 }],
      closeAt: plusMs(now, 900_000),
      contentHash: 'hash',
    },
    now,
  )
}

it('an order that was read for before its orphan was recorded is not created blind: it looks again and takes the money', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  const before = await readOrderFile(world.ledger, orderNo)
  await makeOrphan(world, orderNo)
  const now = world.clock.now()

  const blind = await commit(
    world.ledger,
    createOrderWrites(anOrderOf(world, orderNo), before, 'shop', { policies: bindPolicies({}), now }),
    now,
  )
  const seen = await readOrderFile(world.ledger, orderNo)
  const again = await commit(
    world.ledger,
    createOrderWrites(anOrderOf(world, orderNo), seen, 'shop', { policies: bindPolicies({}), now }),
    now,
  )

  expect(blind.kind).toBe('lost')
  expect(again.kind).toBe('done')
  const tasks = (await fileOf(world, orderNo)).tasks.filter(({ bizNo }) => bizNo.endsWith('/put'))
  expect(tasks).toHaveLength(1)
})

it('a second orphan is seen like the first: an order that was read for between the two is not created blind', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  await makeOrphan(world, orderNo)
  await world.take(aCallback(paid(orderNo)))
  const between = await readOrderFile(world.ledger, orderNo)
  const second = between.tasks.find(({ bizType, status }) => bizType === 'SETTLE_CALLBACK' && status === 'WAITING')
  if (second === undefined) throw new TypeError('The second callback has no task.')
  world.clock.set(plusMs(second.deadlineAt, 1))
  await world.run(second)
  const now = world.clock.now()

  const blind = await commit(
    world.ledger,
    createOrderWrites(anOrderOf(world, orderNo), between, 'shop', { policies: bindPolicies({}), now }),
    now,
  )

  expect((await fileOf(world, orderNo)).payments.map(({ role }) => role)).toEqual(['ORPHAN', 'ORPHAN'])
  expect(blind.kind).toBe('lost')
})

it('money that looks parked in the one row and orphaned in the other is booked: a read of many rows is no snapshot', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo)))
  const { callbacks } = await readOrderFile(world.ledger, orderNo)
  await makeOrphan(world, orderNo)
  const torn = { ...(await readOrderFile(world.ledger, orderNo)), callbacks }
  const now = world.clock.now()

  const result = await commit(
    world.ledger,
    createOrderWrites(anOrderOf(world, orderNo), torn, 'shop', { policies: bindPolicies({}), now }),
    now,
  )
  const again = (await fileOf(world, orderNo)).tasks.find(({ bizNo }) => bizNo.endsWith('/put'))
  if (again !== undefined) await world.run(again)

  expect(callbacks.map(({ verdict }) => verdict)).toEqual(['parked'])
  expect(result.kind).toBe('done')
  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})

it('an order is created under a number whose early money another order has taken since', async () => {
  const world = await openWorld()
  const first = freshOrderNo()
  const number = sure(parseOrderNo(`${first}_2`))
  const notice = paid(number)
  await world.take(aCallback(notice))
  await makeOrphan(world, number)
  await putOrder(world, { orderNo: first })
  await startAttempt(world, first, { outTradeNo: number })
  await world.take(aCallback(notice))

  const named = await openOrdersApi(world.ledger).put(number, anOrderBody())

  expect((await fileOf(world, first)).payments).toMatchObject([{ role: 'APPLIED' }])
  expect(named.status).toBe(201)
})

it('the same notice told again keeps an orphan an orphan, so that its order finds it', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const notice = aCallback(paid(orderNo))
  await world.take(notice)
  const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  world.clock.set(plusMs(task.deadlineAt, 1))
  await world.run(task)

  await world.take(notice)

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'ORPHAN' }])
  expect(file.callbacks.map(({ verdict }) => verdict)).toEqual(['orphan'])
})
