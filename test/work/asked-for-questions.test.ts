import { expect, it } from 'vitest'
import { planActNow } from '../../functions/orders/act-now.ts'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { anOutTradeNo } from '../support/core-builders.ts'
import { closable } from '../support/desk.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { fileOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { BANK } from '../support/world-bank.ts'

/** The page asks for the payment, as `POST /orders/{orderNo}/refresh` does. @returns how many writes it brought about */
async function refresh(world: World, orderNo: OrderNo): Promise<number> {
  const file = await fileOf(world, orderNo)
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel: BANK, outTradeNo: anOutTradeNo(orderNo) })
  const now = world.clock.now()
  const asked = { bizType: 'QUERY_PAYMENT', bizNo, channel: BANK, orderNo, askedBy: 'page' } as const
  const { writes } = planActNow(file, asked, { policies: world.policies, now })
  if (writes.length > 0) await commit(world.ledger, writes, now)
  return writes.length
}

async function openAsked() {
  const channel = openFakeChannel()
  channel.ask = () => closable
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  // Up the ladder, to where the next question lies more than a minute ahead.
  for (let rung = 0; rung < 3; rung++) await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  return { world, orderNo }
}

it('questions that a page asks for use no retry, and the plan stays as it was', async () => {
  const { world, orderNo } = await openAsked()
  const before = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')

  for (let time = 0; time < 2; time++) {
    world.clock.advance(11_000)
    await refresh(world, orderNo)
    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT'))
  }

  const after = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  expect(after.attempts).toBe(before.attempts + 2)
  expect(after).toMatchObject({ retryCount: before.retryCount, nextExecuteAt: before.nextExecuteAt })
})

it('a page that refreshes six times in six seconds brings about one question', async () => {
  const { world, orderNo } = await openAsked()
  const writes: number[] = []

  for (let time = 0; time < 6; time++) {
    world.clock.advance(1000)
    writes.push(await refresh(world, orderNo))
    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT'))
  }

  expect(writes).toEqual([1, 0, 0, 0, 0, 0])
})
