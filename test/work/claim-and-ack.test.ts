import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { handleEach } from '../../modules/runtime/frame/each-record.ts'
import { sure } from '../support/core-builders.ts'
import { runWhenDue } from '../support/due-task.ts'
import { type FakeChannel, openFakeChannel } from '../support/fake-channel.ts'
import { CrashError, withFaults } from '../support/faults.ts'
import { openHangingMerchant } from '../support/hanging-merchant.ts'
import { endOf, fileOf, orderOf, paid, putPayingOrder, taskOf, tasksOf } from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

/** A function that is stopped at its time-out comes back to its queue after six of them. */
const VISIBILITY_MS = 360_000

async function aPaidOrder(world: World, lines = 1) {
  const orderNo = await putPayingOrder(world, { lines })
  await world.take(aCallback(paid(orderNo)))
  return { orderNo, deliveries: tasksOf(await fileOf(world, orderNo), 'DELIVER') }
}

/** A worker that dies as soon as a call to the channel has brought something about: nothing of its answer is written. */
function dyingWhen(world: World, channel: FakeChannel, isOver: () => boolean): World {
  let isDead = false
  const ledger = withFaults(world.ledger, ({ fail }) => {
    if (isDead) fail(new CrashError('The process is gone.'))
  })
  return worldOn(ledger, world.clock, world.merchant, {
    channel,
    around: async (call, run) => {
      const answer = await run()
      if (!isOver()) return answer
      isDead = true
      throw new CrashError(`The process is gone after ${call}.`)
    },
  })
}

it('when the message of a killed worker comes again, its lease is over and the sweep has given the task free', async () => {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  channel.pay(orderNo)
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(task.nextExecuteAt)
  await expect(dyingWhen(world, channel, () => true).run(task, 'killed')).rejects.toThrow(CrashError)
  const held = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  const receivedAgainAt = plusMs(world.clock.now(), VISIBILITY_MS)
  world.clock.set(sure(held.dueAt))
  const swept = await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, held, world.clock.now())
  world.clock.set(receivedAgainAt)

  await world.run(task, 'next')

  const file = await fileOf(world, orderNo)
  expect(held).toMatchObject({ status: 'PROCESSING', lockedBy: 'killed' })
  expect(sure(held.dueAt) < receivedAgainAt).toBe(true)
  expect(swept).toBe('taken back')
  expect(channel.calls).toEqual([`query ${orderNo}`, `query ${orderNo}`])
  expect(file.attempts.map(({ outcome }) => outcome)).toEqual(['ABANDONED', 'done'])
  expect(endOf(file)).toBe('PAID APPLIED')
})

it('a close whose worker was killed after the channel had closed asks again before it does anything', async () => {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(task.nextExecuteAt)
  const isClosed = () => channel.standing(orderNo) === 'closed'
  await expect(dyingWhen(world, channel, isClosed).run(task, 'killed')).rejects.toThrow(CrashError)
  const held = await fileOf(world, orderNo)
  world.clock.set(sure(taskOf(held, 'CLOSE_ORDER').dueAt))
  await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, taskOf(held, 'CLOSE_ORDER'), world.clock.now())
  const before = channel.calls.length

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(held.order?.status).toBe('PAYING')
  expect(channel.standing(orderNo)).toBe('closed')
  expect(channel.calls[before]).toBe(`query ${orderNo}`)
  expect((await orderOf(world, orderNo)).status).toBe('CLOSED')
})

it('a task that finds its order held is not acked and forgotten: it has a new time and goes then', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world, 2)
  const [first, second] = [sure(deliveries[0]), sure(deliveries[1])]
  const hanging = openHangingMerchant(world)
  const running = world.run(first, 'worker-1')
  await hanging.arrived

  await world.run(second, 'worker-2')
  const waiting = sure((await fileOf(world, orderNo)).tasks.find(({ taskNo }) => taskNo === second.taskNo))
  hanging.release()
  await running
  world.clock.set(waiting.nextExecuteAt)
  await world.run(second, 'worker-2')

  expect(waiting).toMatchObject({ status: 'WAITING', attempts: 0, retryCount: 0, lastErrorCode: 'ORDER_BUSY' })
  expect(waiting.wake).toBe(waiting.nextExecuteAt)
  expect(waiting.nextExecuteAt > second.nextExecuteAt).toBe(true)
  expect(world.merchant.received).toHaveLength(2)
  expect((await orderOf(world, orderNo)).status).toBe('DELIVERED')
})

it('a message is not acked before its task was run: where the ledger does not answer it comes again', async () => {
  const world = await openWorld()
  const { orderNo, deliveries } = await aPaidOrder(world)
  const task = sure(deliveries[0])
  const mute = withFaults(world.ledger, ({ fail }) => fail('unavailable'))
  const handle = (ledger: World['ledger']) =>
    handleEach(
      [{ messageId: 'message-1' }],
      ({ messageId }) => messageId,
      () => runTask({ ...world.workDeps, ledger }, messageFor(task, world.clock.now()), 'worker-1'),
      { concurrency: 5, needsMs: 1000, remainingMs: () => 60_000 },
    )

  const failed = await handle(mute)
  const taken = await handle(world.ledger)

  expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] })
  expect(taken).toEqual({ batchItemFailures: [] })
  expect(world.merchant.received).toHaveLength(1)
  expect((await orderOf(world, orderNo)).status).toBe('DELIVERED')
})
