import { expect, it } from 'vitest'
import { plusMs } from '../../modules/core/instant.ts'
import { closable } from '../support/desk.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, orderOf, putOrder, startAttempt, taskOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'

const HOUR = 3_600_000

async function openLong(hours: number) {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putOrder(world, { closeAfterMs: hours * HOUR })
  await startAttempt(world, orderNo, { expiresAt: plusMs(world.clock.now(), hours * HOUR) })
  return { channel, world, orderNo }
}

it('an order that stays open for five days is asked about to its close time, and makes no ticket', async () => {
  const { channel, world, orderNo } = await openLong(120)
  world.clock.advance(80 * HOUR)
  const unpaid = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  channel.pay(orderNo)

  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(unpaid.status).toBe('RETRY')
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it('an order that closed unpaid after sixty hours is watched for a day and then left to the bill, without a ticket', async () => {
  const { channel, world, orderNo } = await openLong(60)
  await runWhenDue(world, orderNo, 'CLOSE_ORDER')
  const { status } = await orderOf(world, orderNo)
  channel.ask = () => closable

  for (let round = 0; round < 8; round++) {
    const task = await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
    if (task.status === 'SUCCESS' || task.status === 'MANUAL') break
  }

  expect(status).toBe('CLOSED')
  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({
    status: 'SUCCESS',
    resultSnapshot: { endedBecause: 'LEFT_TO_THE_BILL' },
  })
})
