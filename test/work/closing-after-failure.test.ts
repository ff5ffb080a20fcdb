import { expect, it } from 'vitest'
import type { Asked } from '../../functions/work/asking/channel-desk.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { ChannelNotConfiguredError } from '../../functions/work/work-deps.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { closable, closed, openDesk, paidAnswer, withDesk } from '../support/desk.ts'
import { fileOf, freshTxn, putOrder, putPayingOrder, startAttempt, taskOf } from '../support/ledger-builders.ts'
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

const answer = (state: 'closable' | 'unknown', kind: 'unknown' | 'rejected' | 'notYet', code: string): Asked => ({
  kind: 'answer',
  answer: { state, outcome: { kind, code } },
})

it.each([
  ['a server error', answer('closable', 'unknown', 'HTTP_500')],
  ['a refusal', answer('closable', 'rejected', 'RULE_LIMIT')],
])('a close that came to %s while the payment can still be made closes nothing', async (_name, refused) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await closeAtItsTime(world, withDesk(world, openDesk([closable], [refused])), orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAYING' })
  expect(file.lines).toMatchObject([{ state: 'RESERVED' }])
})

it('a code that the channel does not know before its expiry is waited for, without a retry and without a ticket', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const expiresAt = plusMs(world.clock.now(), 3 * 3_600_000)
  await startAttempt(world, orderNo, { expiresAt })
  const deps = withDesk(world, openDesk([answer('unknown', 'notYet', 'TRADE_NOT_EXIST')], [closable]))

  for (let round = 0; round < 5; round++) await closeAtItsTime(world, deps, orderNo)

  const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  expect(task).toMatchObject({ status: 'RETRY', retryCount: 0 })
  expect(Date.parse(task.nextExecuteAt)).toBeLessThanOrEqual(Date.parse(expiresAt) + 5 * 60_000)
})

it('a task of a channel that is configured no more goes to a person, and chokes no queue', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const gone = {
    ...openDesk([closable]),
    canQuery: () => {
      throw new ChannelNotConfiguredError('bank')
    },
  }

  await closeAtItsTime(world, withDesk(world, gone), orderNo)

  expect(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'CHANNEL_NOT_CONFIGURED',
    attempts: 0,
  })
})

it('a try that failed and was paid after all, its callback lost, is found before the order closes', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback({ order_no: orderNo }, { type: 'failed' }))

  await closeAtItsTime(world, withDesk(world, openDesk([paidAnswer(orderNo, freshTxn())], [closed])), orderNo)

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID' })
  expect(file.payments).toMatchObject([{ role: 'APPLIED' }])
})
