import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { sure } from '../support/core-builders.ts'
import { brokenCloses, openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, movesOf, orderOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { messageFor, openWorld, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const FIVE_MINUTES = 300_000

async function openOverdue() {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(task.nextExecuteAt)
  return { channel, world, orderNo, task }
}

it('a close timer that fires again while the first close is still asking its channel closes once', async () => {
  const { channel, world, orderNo, task } = await openOverdue()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const slow = worldOn(world.ledger, world.clock, world.merchant, {
    channel,
    around: async (_call, run) => {
      asked.resolve()
      await answer.promise
      return run()
    },
  })
  const first = slow.run(task, 'worker-1')
  await asked.promise
  world.clock.advance(1000)

  await world.run(task, 'worker-2')
  const meanwhile = await fileOf(world, orderNo)
  answer.resolve()
  await first

  const file = await fileOf(world, orderNo)
  expect(meanwhile.order?.status).toBe('PAYING')
  expect(meanwhile.attempts).toHaveLength(1)
  expect(movesOf(file)).toEqual(['>WAIT_PAY', 'WAIT_PAY>PAYING', 'PAYING>CLOSED'])
  expect(channel.calls.filter((call) => call.startsWith('close'))).toHaveLength(1)
  expect(brokenCloses(channel, file)).toEqual([])
})

it('of two firings with the payment between them neither closes the order', async () => {
  const { channel, world, orderNo, task } = await openOverdue()
  world.clock.advance(-2000)
  await world.run(task)
  await world.take(aCallback(paid(orderNo)))
  world.clock.advance(2000)

  await world.run(task)

  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
  expect(channel.calls).toEqual([])
})

it('a schedule of a plan that was put off since fires in vain: the row has another time', async () => {
  const { channel, world, orderNo, task } = await openOverdue()
  channel.ask = () => ({ kind: 'parked', until: plusMs(task.nextExecuteAt, FIVE_MINUTES) })
  await world.run(task)
  const putOff = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  channel.ask = () => {
    throw new Error('Nobody may be asked.')
  }
  world.clock.advance(FIVE_MINUTES / 2)

  await world.run(task)

  expect(putOff.nextExecuteAt > world.clock.now()).toBe(true)
  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')).toEqual(putOff)
})

it('a worker whose clock is minutes slow leaves the task as it is, and the sweep names it until its time has come', async () => {
  const { world, orderNo, task } = await openOverdue()
  const slow = { ...world.workDeps, now: () => plusMs(world.clock.now(), -FIVE_MINUTES) }
  await runTask(slow, messageFor(task, task.nextExecuteAt), 'worker-slow')
  const untouched = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  const woken: string[] = []

  for (let round = 0; round < 10 && (await orderOf(world, orderNo)).status !== 'CLOSED'; round++) {
    const row = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    world.clock.set(sure(row.dueAt))
    woken.push(await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, row, world.clock.now()))
    await runTask(slow, messageFor(task, world.clock.now()), 'worker-slow')
  }

  expect(untouched).toEqual(task)
  expect(woken).toEqual(['woken', 'woken'])
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it.each(['SUCCESS', 'MANUAL'] as const)(
  'a trigger that fires after its task came to %s starts nothing',
  async (status) => {
    const { channel, world, orderNo, task } = await openOverdue()
    if (status === 'MANUAL') {
      world.clock.set(plusMs(task.deadlineAt, 1000))
      channel.ask = () => ({ kind: 'answer', answer: { state: 'unknown', outcome: { kind: 'unknown' } } })
    }
    await world.run(task)
    const ended = await fileOf(world, orderNo)
    const calls = channel.calls.length
    world.clock.advance(FIVE_MINUTES)

    for (let firing = 0; firing < 3; firing++) await world.run(task)

    expect(taskOf(ended, 'CLOSE_ORDER').status).toBe(status)
    expect(await fileOf(world, orderNo)).toEqual(ended)
    expect(channel.calls).toHaveLength(calls)
  },
)
