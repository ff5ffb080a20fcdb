import { expect, it } from 'vitest'
import { sweepAll } from '../../functions/sweep/sweep-all.ts'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { orderPk, taskSk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { putTicket } from '../../modules/ledger/task/put-task.ts'
import { aChannel, sure } from '../support/core-builders.ts'
import { fileOf, freshOrderNo, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openClock, openWorld, type World } from '../support/world.ts'
import { aCallback, START } from '../support/world-bank.ts'

const HOUR = 3_600_000
const YEAR = 366 * 24 * HOUR

const sweep = ({ ledger, policies, clock }: World) => sweepAll({ ledger, policies }, clock.now(), () => true)

async function aTicket(world: World) {
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo, { amount: 1 })))
  return orderNo
}

it('a ticket whose workflow never starts is counted each hour, and its start is asked for again, as long as it is open', async () => {
  const world = await openWorld({ clock: openClock(plusMs(START, YEAR)) })
  const orderNo = await aTicket(world)
  await world.run(taskOf(await fileOf(world, orderNo), 'START_EXECUTION'))
  const tickets: number[] = []
  const wakes = new Set<unknown>()

  for (let hour = 1; hour <= 24; hour++) {
    world.clock.advance(HOUR)
    tickets.push((await sweep(world)).tickets)
    const start = taskOf(await fileOf(world, orderNo), 'START_EXECUTION')
    wakes.add(start.wake)
    await world.run(start)
  }

  expect(tickets).toEqual(Array(24).fill(1))
  expect(wakes.size).toBe(24)
  expect(taskOf(await fileOf(world, orderNo), 'REVIEW')).toMatchObject({ status: 'MANUAL' })
})

it('tickets have no limit at which an old one is dropped: of three hundred each comes round each hour', async () => {
  const world = await openWorld({ clock: openClock(plusMs(START, 2 * YEAR)) })
  const tickets = Array.from({ length: 300 }, () => freshOrderNo())
  for (const orderNo of tickets) {
    const subject = { kind: 'test', channel: aChannel(), id: orderNo }
    const bizNo = bizNoOf('REVIEW', subject)
    const [ticket] = putTicket(
      { pk: orderPk(orderNo), bizNo, orderNo, source: 'POLICY', reason: 'TEST_TICKET' },
      { policies: bindPolicies({}), now: world.clock.now() },
    )
    await commit(world.ledger, [sure(ticket)], world.clock.now())
  }

  for (let hour = 1; hour <= 3; hour++) {
    world.clock.advance(HOUR)
    await sweep(world)
  }

  const keys = tickets.map((orderNo) => ({
    pk: orderPk(orderNo),
    sk: taskSk(taskNoOf('REVIEW', `test/${aChannel()}/${orderNo}`)),
  }))
  const pages = [0, 100, 200].map((start) => readRows(world.ledger, keys.slice(start, start + 100)))
  const rows = (await Promise.all(pages)).flat().filter((row) => row?.et === 'TASK')
  expect(rows).toHaveLength(300)
  expect(new Set(rows.map(({ status, dueAt }) => `${status} ${dueAt}`))).toEqual(
    new Set([`MANUAL ${plusMs(world.clock.now(), HOUR)}`]),
  )
})
