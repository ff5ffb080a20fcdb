import { expect, it } from 'vitest'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, putOrder, startAttempt } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

it('after the local close the buyer can pay nowhere, however many tries failed before', async () => {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putOrder(world)
  const numbers = Array.from({ length: 7 }, (_, n) => `${orderNo}_${n + 1}`)
  for (const outTradeNo of numbers) {
    await startAttempt(world, orderNo, { outTradeNo })
    await world.take(aCallback({ order_no: outTradeNo }, { type: 'failed' }))
  }

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')

  expect(endOf(await fileOf(world, orderNo))).toBe('CLOSED')
  expect(numbers.filter((outTradeNo) => channel.pay(outTradeNo) !== undefined)).toEqual([])
})
