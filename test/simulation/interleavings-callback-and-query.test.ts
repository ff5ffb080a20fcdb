import { describe, expect, it } from 'vitest'
import type { OrderNo } from '../../modules/core/ids.ts'
import { sure } from '../support/core-builders.ts'
import { duel } from '../support/duel.ts'
import { noticeOf, payAndTell } from '../support/duel-scenes.ts'
import { fileOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import type { World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

/** An order whose payAttempt shall be asked about now. @returns the task that asks */
async function putAskedOrder(world: World, orderNo: OrderNo) {
  await putPayingOrder(world, { orderNo })
  const question = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(question.nextExecuteAt)
  return question
}

describe('in every distinguishable order of the calls', () => {
  it('a question, while the buyer pays and the channel tells, applies the payment once', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo) => {
      const question = await putAskedOrder(world, orderNo)
      return { handlers: [({ run }) => run(question), payAndTell(orderNo)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('a question and the notice about the same payment apply it once', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      const question = await putAskedOrder(world, orderNo)
      const notice = noticeOf(orderNo, sure(channel.pay(orderNo)))
      return { handlers: [({ run }) => run(question), ({ take }) => take(notice)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['DELIVERED APPLIED'])
    expect(isComplete).toBe(true)
  })

  it('a question and the notice that the channel has closed the payAttempt leave an order that closes in time', async () => {
    const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
      const question = await putAskedOrder(world, orderNo)
      channel.expire(orderNo)
      const notice = aCallback({ order_no: orderNo }, { type: 'closed', eventId: 'evt' })
      return { handlers: [({ run }) => run(question), ({ take }) => take(notice)] }
    })

    expect(broken).toEqual([])
    expect(ends).toEqual(['CLOSED'])
    expect(isComplete).toBe(true)
  })
})
