import { expect, it } from 'vitest'
import { z } from 'zod'
import type { OrderNo } from '../../modules/core/ids.ts'
import { noticeTypes } from '../../modules/core/notice.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { listTasks } from '../../modules/ledger/read/list-tasks.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { fileOf, paid, putPayingOrder, tasksOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'
import { heal } from '../support/world-heal.ts'
import { aFreshOrderNo, openOrdersApi } from './orders-api.ts'

/** Notices that are given up become tickets. */
const TICKETS: PolicyOverrides = { NOTIFY: { exhausted: 'MANUAL' } }

/** An order that was paid and delivered, and three notices of it, answered as given. */
async function aToldOrder(answer: Outcome = { kind: 'done', httpStatus: 200 }, overrides: PolicyOverrides = {}) {
  const world = await openWorld({ notices: new Set(noticeTypes), overrides })
  const api = openOrdersApi(world.ledger)
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = (id) => (id.startsWith('ntf_') ? answer : { kind: 'done', httpStatus: 200 })
  await heal(world, [orderPk(orderNo)])
  const replay = (body: object = {}) => {
    api.clock.now = world.clock.now()
    return api.send('POST /orders/{orderNo}/notices/replay', { path: { orderNo }, body })
  }
  return { world, orderNo, replay }
}

const told = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.object({ sequence: z.number(), id: z.string() }),
})

const noticesIn = ({ merchant }: World): readonly string[] =>
  merchant.received.filter(({ id }) => id.startsWith('ntf_')).map(({ id, body }) => `${id} ${body}`)

const sequencesOf = (bodies: readonly string[]): readonly number[] =>
  bodies.map((line) => told.parse(JSON.parse(line.slice(line.indexOf(' ') + 1))).data.sequence).toSorted()

async function tellAgain(world: World, orderNo: OrderNo): Promise<readonly string[]> {
  const before = noticesIn(world).length
  world.merchant.answer = () => ({ kind: 'done', httpStatus: 200 })
  await heal(world, [orderPk(orderNo)])
  return noticesIn(world).slice(before)
}

it('an order is told of again, byte for byte and under the ids that the merchant knows', async () => {
  const { world, orderNo, replay } = await aToldOrder()
  const first = noticesIn(world)

  const answer = await replay()

  expect(answer.status).toBe(202)
  expect(answer.body['tasks']).toHaveLength(3)
  expect((await tellAgain(world, orderNo)).toSorted()).toEqual(first.toSorted())
})

it('a merchant who sees a gap is told from there on', async () => {
  const { world, orderNo, replay } = await aToldOrder()

  await replay({ fromSequence: 2 })

  expect(sequencesOf(await tellAgain(world, orderNo))).toEqual([2, 3])
})

it('asked twice before anything was sent, it is told once more', async () => {
  const { world, orderNo, replay } = await aToldOrder()

  await Promise.all([replay({ fromSequence: 3 }), replay({ fromSequence: 3 })])
  await replay({ fromSequence: 3 })

  expect(await tellAgain(world, orderNo)).toHaveLength(1)
})

it('it can be told again as often as it is asked for', async () => {
  const { world, orderNo, replay } = await aToldOrder()

  for (let n = 0; n < 3; n++) {
    await replay({ fromSequence: 3 })
    expect(await tellAgain(world, orderNo)).toHaveLength(1)
  }

  const notices = tasksOf(await fileOf(world, orderNo), 'NOTIFY')
  expect(new Set(notices.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  expect(notices.map(({ bizNo }) => bizNo).toSorted()).toEqual(
    ['1', '2', '3', '3/replay/1', '3/replay/2', '3/replay/3'].map((end) => `${orderNo}/${end}`),
  )
})

it('one that still waits is sent now instead', async () => {
  const { world, orderNo, replay } = await aToldOrder({ kind: 'unknown', code: 'HTTP_500', httpStatus: 500 })

  await replay()

  const notices = tasksOf(await fileOf(world, orderNo), 'NOTIFY')
  expect(notices).toHaveLength(3)
  expect(notices.every(({ nextExecuteAt }) => nextExecuteAt === world.clock.now())).toBe(true)
})

it('one that was given up leaves the list of those when it is told again', async () => {
  const { world, orderNo, replay } = await aToldOrder({ kind: 'unknown', code: 'HTTP_500', httpStatus: 500 })
  for (let task = aWaiting(await fileOf(world, orderNo)); task; task = aWaiting(await fileOf(world, orderNo))) {
    world.clock.set(task.nextExecuteAt)
    await world.run(task)
  }
  const givenUp = async () =>
    (await listTasks(world.ledger, { status: 'CLOSED', lanes: ['merchant'], limit: 100 })).tasks.filter(
      (task) => task.orderNo === orderNo,
    )
  expect(await givenUp()).toHaveLength(3)

  await replay()

  expect(await givenUp()).toEqual([])
  expect(await tellAgain(world, orderNo)).toHaveLength(3)
})

it('one that became a ticket is told in a new round, and its workflow is not started', async () => {
  const { world, orderNo, replay } = await aToldOrder({ kind: 'unknown', code: 'HTTP_500', httpStatus: 500 }, TICKETS)
  for (let task = aWaiting(await fileOf(world, orderNo)); task; task = aWaiting(await fileOf(world, orderNo))) {
    world.clock.set(task.nextExecuteAt)
    await world.run(task)
  }
  const first = tasksOf(await fileOf(world, orderNo), 'NOTIFY')

  const answer = await replay()

  const file = await fileOf(world, orderNo)
  expect(first.map(({ status }) => status)).toEqual(['MANUAL', 'MANUAL', 'MANUAL'])
  expect(answer.body['tasks']).toMatchObject(
    [1, 2, 3].map((n) => ({ bizNo: `${orderNo}/${n}`, status: 'WAITING', retryCount: 0 })),
  )
  expect(tasksOf(file, 'START_EXECUTION').map(({ status }) => status)).toEqual(['CLOSED', 'CLOSED', 'CLOSED'])
  expect(sequencesOf(await tellAgain(world, orderNo))).toEqual([1, 2, 3])
  expect(tasksOf(await fileOf(world, orderNo), 'NOTIFY').map(({ status }) => status)).toEqual(Array(3).fill('SUCCESS'))
})

it('an order that was told of nothing has nothing to be told again', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  const answer = await openOrdersApi(world.ledger).send('POST /orders/{orderNo}/notices/replay', {
    path: { orderNo },
    body: {},
  })

  expect(answer).toMatchObject({ status: 202, body: { tasks: [] } })
})

it('an order that is not there is answered 404', async () => {
  const world = await openWorld()

  const answer = await openOrdersApi(world.ledger).send('POST /orders/{orderNo}/notices/replay', {
    path: { orderNo: aFreshOrderNo() },
    body: {},
  })

  expect(answer).toMatchObject({ status: 404, body: { code: 'ORDER_NOT_FOUND' } })
})

const aWaiting = (file: Awaited<ReturnType<typeof fileOf>>) =>
  tasksOf(file, 'NOTIFY').find(({ status }) => status === 'WAITING' || status === 'RETRY')
