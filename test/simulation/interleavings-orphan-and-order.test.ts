import { expect, it } from 'vitest'
import type { OrderNo } from '../../modules/core/ids.ts'
import { duel } from '../support/duel.ts'
import { noticeOf } from '../support/duel-scenes.ts'
import { fileOf, putOrder, taskOf } from '../support/ledger-builders.ts'
import type { World } from '../support/world.ts'

/** As the orders API does: a put that lost to another writer looks again. */
async function insist(world: World, orderNo: OrderNo): Promise<void> {
  for (let round = 0; round < 5; round++) {
    if (await putOrder(world, { orderNo }).catch(() => undefined)) return
  }
  throw new Error('The order could not be put.')
}

it('money whose time to wait for its order is over, while that order comes, is applied, in every distinguishable order of the calls', async () => {
  const { broken, ends, isComplete } = await duel(
    async (world, orderNo) => {
      await world.take(noticeOf(orderNo, 'txn-1'))
      const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
      world.clock.set(task.deadlineAt)
      return {
        payments: ['txn-1'],
        handlers: [({ run }) => run(task), (mine) => insist(mine, orderNo)],
      }
    },
    { isMute: true },
  )

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})
